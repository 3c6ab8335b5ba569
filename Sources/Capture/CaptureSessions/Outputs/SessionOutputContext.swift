internal import CaptureCore
internal import Locking
internal import Synchronization

/// The part of a session that all its outputs can see, and their way to the session. Thread-safe.
final class SessionOutputContext: Sendable {
  private struct State {
    /// The outputs whose first frame since the start or the commit has yet to be reported, by id. The value is the
    /// stream whose frames do not count as first frames, because they may still be on their way to readers that stayed;
    /// 0 for none.
    var awaitingFirstSend: [String: UInt64] = [:]
  }
  private let state = Locked(State())
  private let anyAwaited = Atomic<Bool>(false)
  /// The fan-out of the first pipeline, whose frames an output has until it is connected.
  let frames: FrameFanOut
  private let onFirstSend: @Sendable (_ output: String) -> Void

  let sessionID: String
  /// The session, which holds the outputs, and they hold this object. It is set once, before any other thread can use
  /// it.
  nonisolated(unsafe) weak var session: CaptureSession?

  init(sessionID: String, frames: FrameFanOut, onFirstSend: @escaping @Sendable (_ output: String) -> Void) {
    self.sessionID = sessionID
    self.frames = frames
    self.onFirstSend = onFirstSend
  }

  /// From now on reports the first frame that each of `outputs` sends, except frames of the stream `formerStream`.
  ///
  /// - Parameter only: whether the first frames of other outputs are not reported any more.
  func awaitFirstSend(of outputs: Set<String>, notOf formerStream: UInt64?, only: Bool = false) {
    state.withLock { state in
      if only { state.awaitingFirstSend = [:] }
      for output in outputs { state.awaitingFirstSend[output] = formerStream ?? 0 }
      anyAwaited.store(!state.awaitingFirstSend.isEmpty, ordering: .releasing)
    }
  }

  func didSend(_ frame: Frame, from output: String) {
    // Every reader calls this for every frame, so it costs a single atomic load when no first frame is awaited.
    guard anyAwaited.load(ordering: .acquiring) else { return }
    let isFirst = state.withLock { state in
      guard state.awaitingFirstSend[output] != frame.streamID else { return false }
      let removed = state.awaitingFirstSend.removeValue(forKey: output) != nil
      if state.awaitingFirstSend.isEmpty { anyAwaited.store(false, ordering: .releasing) }
      return removed
    }
    if isFirst { onFirstSend(output) }
  }

  func runDeferredStartIfNeeded(opensCameras: Bool = false) async throws(CaptureError) {
    try await session?.runDeferredStartAndWait(opensCameras: opensCameras)
  }
}

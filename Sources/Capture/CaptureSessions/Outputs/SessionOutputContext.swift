internal import CaptureCore
internal import Synchronization

/// What outputs see of their session.
final class SessionOutputContext: OutputContext {
  /// As ``OutputContext/shoot(_:while:_:)``.
  typealias Shoot =
    @Sendable (_ shot: Shot, _ isWanted: @escaping @Sendable () -> Bool, _ take: @escaping TakeStep) async throws ->
    UInt64

  private struct State {
    /// Outputs whose first frame since the start or commit somebody waits for.
    var awaitingFirstSend: Set<String> = []
    /// Its frames do not count: they are still on their way to readers who stayed.
    var formerStream: UInt64?
  }
  private let state = Mutex(State())
  private let anyAwaited = Atomic<Bool>(false)
  private let frames: FrameFanOut
  private let onFirstSend: @Sendable (_ output: String) -> Void
  private let runDeferredStart: @Sendable () async throws(CaptureError) -> Void
  private let shoot: Shoot

  let sessionID: String

  init(
    sessionID: String, frames: FrameFanOut, onFirstSend: @escaping @Sendable (_ output: String) -> Void,
    runDeferredStart: @escaping @Sendable () async throws(CaptureError) -> Void,
    shoot: @escaping Shoot
  ) {
    self.sessionID = sessionID
    self.frames = frames
    self.onFirstSend = onFirstSend
    self.runDeferredStart = runDeferredStart
    self.shoot = shoot
  }

  var history: any FrameHistory { frames.ring }

  /// Follows the rate at which the photo output gets frames.
  var framePatienceNanoseconds: UInt64 {
    frames.rate.map { FramePatience.nanoseconds(at: $0.value) } ?? FramePatience.shortest
  }

  /// From now on the first frame sent by each of `outputs` is reported, unless it is one of `formerStream`.
  func awaitFirstSend(of outputs: Set<String>, notOf formerStream: UInt64?) {
    state.withLock { state in
      state.awaitingFirstSend = outputs
      state.formerStream = formerStream
    }
    anyAwaited.store(!outputs.isEmpty, ordering: .releasing)
  }

  func didSend(_ frame: Frame, from output: String) {
    // Every reader comes here with every frame: one load when nothing is awaited.
    guard anyAwaited.load(ordering: .acquiring) else { return }
    let isFirst = state.withLock { state in
      guard frame.streamID != state.formerStream else { return false }
      let removed = state.awaitingFirstSend.remove(output) != nil
      if state.awaitingFirstSend.isEmpty { anyAwaited.store(false, ordering: .releasing) }
      return removed
    }
    if isFirst { onFirstSend(output) }
  }

  func runDeferredStartIfNeeded() async throws(CaptureError) { try await runDeferredStart() }

  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool,
    _ take: @escaping @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void
  ) async throws -> UInt64 {
    try await shoot(shot, isWanted, take)
  }
}

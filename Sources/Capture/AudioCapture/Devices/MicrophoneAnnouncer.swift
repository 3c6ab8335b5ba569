internal import CaptureCore
internal import Synchronization

/// Tells every listener when a microphone comes, goes or changes. Thread-safe.
final class MicrophoneAnnouncer: Sendable {
  private struct State {
    var listeners: [UInt64: AsyncStream<MicrophoneChange>.Continuation] = [:]
    var lastID: UInt64 = 0
  }
  private let state = Mutex(State())

  deinit { for listener in state.withLock(\.listeners.values) { listener.finish() } }

  /// The changes from now on. A slow listener keeps the newest 64 changes and loses older ones. The stream ends with
  /// the announcer.
  func listen() -> AsyncStream<MicrophoneChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MicrophoneChange.self, bufferingPolicy: .bufferingNewest(64))
    let id = state.withLock { state in
      state.lastID += 1
      state.listeners[state.lastID] = continuation
      return state.lastID
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[id] = nil } }
    return stream
  }

  func announce(_ change: MicrophoneChange) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(change) }
  }
}

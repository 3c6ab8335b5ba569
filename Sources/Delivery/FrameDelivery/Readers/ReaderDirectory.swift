public import CaptureCore
internal import Synchronization

/// Finds the readers of all preview and video data outputs of the daemon by their tokens. Thread-safe.
public final class ReaderDirectory: Sendable {
  private let slots = Mutex<[String: ReaderSlot]>([:])

  /// Makes an empty directory.
  public init() {}

  /// Says that the reader of `token` has consumed the frame of `sequence` and all frames sent before that frame.
  ///
  /// A sequence that is acknowledged already, or was never sent, changes nothing.
  ///
  /// - Throws: `streamNotFound` when no attached reader has this token.
  public func acknowledge(token: String, sequence: UInt64) throws(CaptureError) {
    guard let slot = slots.withLock({ $0[token] }) else {
      // The token is the reader's secret, so the message must not contain it.
      throw CaptureError(
        .streamNotFound,
        "No stream has this token, perhaps because the stream has ended; use the token of the newest status.",
        field: "stream_token")
    }
    slot.acknowledge(sequence)
  }

  func add(_ slot: ReaderSlot) { slots.withLock { $0[slot.token] = slot } }

  func remove(_ token: String) { _ = slots.withLock { $0.removeValue(forKey: token) } }
}

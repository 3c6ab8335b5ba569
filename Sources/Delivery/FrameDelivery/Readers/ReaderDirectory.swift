public import CaptureCore
internal import Synchronization

/// Finds readers of frames by their token, across all preview and video data outputs of the daemon. Thread-safe.
public final class ReaderDirectory: Sendable {
  private let slots = Mutex<[String: ReaderSlot]>([:])

  public init() {}

  /// Says that the reader has consumed the frame of `sequence` and all sent before it.
  ///
  /// A sequence that is not on the way changes nothing.
  ///
  /// - Throws: `streamNotFound` when no attached reader has this token.
  public func acknowledge(token: String, sequence: UInt64) throws(CaptureError) {
    guard let slot = slots.withLock({ $0[token] }) else {
      // The token itself is a secret of the reader's: not in the message.
      throw CaptureError(
        .streamNotFound, "No stream has this token; it may have ended: take the token of the newest status.",
        field: "stream_token")
    }
    slot.acknowledge(sequence)
  }

  func add(_ slot: ReaderSlot) { slots.withLock { $0[slot.token] = slot } }

  func remove(_ token: String) { _ = slots.withLock { $0.removeValue(forKey: token) } }
}

internal import CV4L2
internal import SystemClocks

/// Asks a camera that sends coded video for key frames, at most once a second. A camera that refuses once is never
/// asked again: it sends key frames only by itself. Belongs to the capture thread.
struct KeyFrameRequests {
  /// Nanoseconds between two requests. A key frame is large, and many readers may wish for one.
  static let interval: UInt64 = 1_000_000_000

  private var isWanted = false
  private var isRefused = false
  private var next = MonotonicInstant.epoch

  /// Asks the camera if somebody wants a key frame. The capture thread calls this method after each frame.
  ///
  /// - Parameter isWanted: whether somebody has asked for one since the last call.
  mutating func update(isWanted new: Bool, node: VideoNode, now: MonotonicInstant) {
    if new { isWanted = true }
    guard isWanted, !isRefused, now >= next else { return }
    (isWanted, next) = (false, now + Self.interval)
    do { try node.set(CV4L2_CID_FORCE_KEY_FRAME, to: 1) } catch { isRefused = true }
  }
}

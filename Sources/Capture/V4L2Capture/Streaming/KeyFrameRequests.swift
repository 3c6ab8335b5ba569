internal import CV4L2
internal import Glibc
internal import SystemClocks

/// Asks a camera that sends coded video for key frames, at most once a second, and says how long to wait for one. A
/// camera without the control is asked once: it sends key frames only by itself. Belongs to the capture thread.
struct KeyFrameRequests {
  /// Nanoseconds between two requests. A key frame is large, and many readers may wish for one.
  static let interval: UInt64 = 1_000_000_000

  /// How long after a lost picture a key frame may take, in nanoseconds. Most cameras send one at least every ten
  /// seconds.
  static let patience: UInt64 = 12_000_000_000

  /// When the first picture came that needs a lost one. Nil while pictures can be decoded.
  private var awaitedSince: MonotonicInstant?
  private var isWanted = false
  private var isRefused = false
  private var next = MonotonicInstant.epoch

  /// Whether a key frame may still come after a picture that needs a lost one. After that, only a restart of the camera
  /// brings one.
  mutating func mayCome(at now: MonotonicInstant) -> Bool {
    let since = awaitedSince ?? now
    awaitedSince = since
    return now.nanoseconds(since: since) < Self.patience
  }

  /// Notes a picture that can be decoded.
  mutating func noteFrame() { awaitedSince = nil }

  /// Asks the camera if somebody wants a key frame. The capture thread calls this method after each frame.
  ///
  /// - Parameter isWanted: whether somebody has asked for one since the last call.
  mutating func update(isWanted new: Bool, node: VideoNode, now: MonotonicInstant) {
    if new { isWanted = true }
    guard isWanted, !isRefused, now >= next else { return }
    (isWanted, next) = (false, now + Self.interval)
    do { try node.set(CV4L2_CID_FORCE_KEY_FRAME, to: 1) } catch {
      isRefused = [EINVAL, ENOTTY, EACCES].contains(error.errno.rawValue)
    }
  }
}

internal import CaptureCore
internal import SystemClocks

/// The rules for pictures that come coded, as a value. Each may need those before it, back to the last key frame.
struct CodedOrder: Sendable {
  /// The bytes from a key frame on after which the next one has to come. The file keeps them in memory until then.
  static let mostBytes = 32 << 20
  /// How long after a key frame a picture may need it, in nanoseconds.
  static let longestTime: UInt64 = 60_000_000_000

  private var lastKeyFrame: UInt64 = 0
  private var bytes = 0
  /// Whether a picture since the last key frame was refused, so that only a key frame can be decoded next.
  private(set) var hasGap = false

  /// Checks that a picture without a gap before it is not too far from its key frame.
  ///
  /// - Throws: `invalidArgument`.
  func check(_ picture: CapturedFrame, isKeyFrame: Bool) throws(CaptureError) {
    let time = picture.frame.time.monotonic.nanoseconds
    guard !isKeyFrame, !hasGap else { return }
    guard bytes >= Self.mostBytes || time - min(time, lastKeyFrame) > Self.longestTime else { return }
    throw CaptureError(
      .invalidArgument, "More than 32 MiB or 60 s came since the last key frame; append a key frame.",
      field: "sample.data")
  }

  /// Notes a picture that was taken.
  mutating func note(_ picture: CapturedFrame, isKeyFrame: Bool) {
    if isKeyFrame { (lastKeyFrame, bytes, hasGap) = (picture.frame.time.monotonic.nanoseconds, 0, false) }
    bytes += picture.frame.buffer.count
  }

  /// Notes a picture that was refused.
  mutating func noteRefused() { hasGap = true }
}

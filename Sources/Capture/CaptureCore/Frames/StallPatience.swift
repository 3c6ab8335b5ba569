/// The shortest times without a frame after which a stream may count as stalled.
public struct StallPatience: Hashable, Sendable {
  /// The time from one frame to the next, in nanoseconds.
  public var betweenFrames: UInt64
  /// The time from the start of the stream to its first frame, in nanoseconds. Real cameras need one or two seconds to
  /// wake up, and few need more.
  public var firstFrame: UInt64

  /// Creates a patience from two times in nanoseconds. By default, they are one second between frames and five seconds
  /// before the first frame.
  public init(betweenFrames: UInt64 = 1_000_000_000, firstFrame: UInt64 = 5_000_000_000) {
    self.betweenFrames = betweenFrames
    self.firstFrame = firstFrame
  }
}

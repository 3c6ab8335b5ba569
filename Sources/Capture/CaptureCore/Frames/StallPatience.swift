/// How long a camera may bring no frame before its stream counts as stalled, at least. Nanoseconds.
public struct StallPatience: Hashable, Sendable {
  /// From one frame to the next.
  public var betweenFrames: UInt64
  /// From the start of the stream to its first frame: real cameras need one or two seconds to wake up, few need more.
  public var firstFrame: UInt64

  public init(betweenFrames: UInt64 = 1_000_000_000, firstFrame: UInt64 = 5_000_000_000) {
    self.betweenFrames = betweenFrames
    self.firstFrame = firstFrame
  }
}

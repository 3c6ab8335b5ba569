/// When a frame was captured, by the driver's word.
public struct FrameTime: Hashable, Sendable {
  /// Which instant of the exposure the stamp marks (`V4L2_BUF_FLAG_TSTAMP_SRC_*`).
  public enum Source: Hashable, Sendable {
    case startOfExposure
    case endOfFrame
    /// The driver gives no monotonic stamp: this is when the frame was dequeued.
    case arrival
  }

  /// CLOCK_MONOTONIC, nanoseconds. Authoritative.
  public var monotonicNanoseconds: UInt64
  /// The same instant on the wall clock, nanoseconds since the Unix epoch; computed once, at dequeue.
  public var wallNanoseconds: UInt64
  public var source: Source

  public init(monotonicNanoseconds: UInt64, wallNanoseconds: UInt64, source: Source) {
    self.monotonicNanoseconds = monotonicNanoseconds
    self.wallNanoseconds = wallNanoseconds
    self.source = source
  }
}

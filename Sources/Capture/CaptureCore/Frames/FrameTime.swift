/// When a frame was captured, as the driver states it.
public struct FrameTime: Hashable, Sendable {
  /// The instant of the exposure that the time stamp marks (`V4L2_BUF_FLAG_TSTAMP_SRC_*`).
  public enum Source: Hashable, Sendable {
    case startOfExposure
    case endOfFrame
    /// The driver gives no monotonic time stamp; the stamp is the instant at which the capture thread dequeued the
    /// frame.
    case arrival
  }

  /// The time in nanoseconds of CLOCK_MONOTONIC. This time is the authoritative one.
  public var monotonicNanoseconds: UInt64
  /// The same instant on the wall clock, in nanoseconds since the Unix epoch. The source computes it once, when it
  /// dequeues the frame.
  public var wallNanoseconds: UInt64
  /// The instant of the exposure that the time stamp marks.
  public var source: Source

  /// Creates a time.
  ///
  /// - Parameters:
  ///   - monotonicNanoseconds: nanoseconds of CLOCK_MONOTONIC.
  ///   - wallNanoseconds: the same instant in nanoseconds since the Unix epoch.
  public init(monotonicNanoseconds: UInt64, wallNanoseconds: UInt64, source: Source) {
    self.monotonicNanoseconds = monotonicNanoseconds
    self.wallNanoseconds = wallNanoseconds
    self.source = source
  }
}

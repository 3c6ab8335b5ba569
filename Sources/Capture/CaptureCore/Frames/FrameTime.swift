public import SystemClocks

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

  /// The driver's time stamp. This time is the authoritative one.
  public var monotonic: MonotonicInstant
  /// The same instant on the wall clock. The source computes it once, when it dequeues the frame.
  public var wall: WallInstant
  /// The instant of the exposure that the time stamp marks.
  public var source: Source

  /// Creates a time.
  ///
  /// - Parameters:
  ///   - monotonic: the driver's time stamp.
  ///   - wall: the same instant on the wall clock.
  public init(monotonic: MonotonicInstant, wall: WallInstant, source: Source) {
    self.monotonic = monotonic
    self.wall = wall
    self.source = source
  }
}

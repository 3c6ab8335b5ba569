public import SystemClocks

/// Finds the first frame that has the settings of a step of a shot. A value.
///
/// Some cameras tell with each frame the settings of that frame; the gate compares these with the settings that the
/// shot made. For other cameras, the gate counts frames, because V4L2 does not say when a control takes effect. Sensors
/// apply exposure and gain two frames late, as libcamera's `CameraSensor` assumes of sensors that it does not know. A
/// frame whose time stamp marks its end began one frame earlier, so the gate waits for one frame more. Automatic
/// exposure has settled when three frames are equally bright.
public struct FrameGate: Sendable {
  /// How many frames pass until a setting takes effect.
  public static let delay: UInt64 = 2
  /// After how many frames the gate stops waiting for automatic exposure to settle.
  static let patience = 30
  /// After how many frames the gate stops waiting for automatic exposure when the brightness of the frames is not
  /// available at once.
  static let blindPatience = 15

  /// How the camera is set for the step.
  public let conditions: ShotConditions
  private var seen: UInt64 = 0
  private var lumas: [Double] = []

  /// Creates a gate for the frames that follow the settings of `conditions`.
  public init(_ conditions: ShotConditions) { self.conditions = conditions }

  /// Looks at the next frame of the stream.
  ///
  /// - Parameter luma: returns the mean brightness of the frame, 0 to 255; nil when the brightness is not available at
  ///   once.
  /// - Returns: whether the frame has the settings of the step.
  public mutating func admits(_ frame: Frame, luma: () -> Double?) -> Bool {
    guard frame.time.monotonic >= conditions.earliest else { return false }
    if frame.sensor.isOfFrame { return agrees(frame.sensor) }
    seen += 1
    let delay = Self.delay + (frame.time.source == .startOfExposure ? 0 : 1)
    guard seen > delay else { return false }
    guard conditions.settles else { return true }
    guard let luma = luma() else { return seen > Self.blindPatience }
    lumas = lumas.suffix(2) + [luma]
    return lumas.count == 3 && Settling.isSettled(lumas) || seen > Self.patience
  }

  private func agrees(_ sensor: SensorReadings) -> Bool {
    let wanted = conditions.readings
    return (wanted.exposureNanoseconds == nil || wanted.exposureNanoseconds == sensor.exposureNanoseconds)
      && (wanted.gain == nil || wanted.gain == sensor.gain)
      && (!conditions.isFlashOn || sensor.isFlashOn == true)
  }
}

/// Chooses the frames to deliver when a receiver wants fewer frames than the camera brings. A value.
///
/// One frame is due in every wanted period, on a grid over the driver's time stamps. So frames come evenly and never
/// faster than the wanted rate. Counting frames instead would add up an error whenever the camera is not exactly as
/// fast as its driver says.
public struct FramePacing: Hashable, Sendable {
  /// The wanted period in nanoseconds. The rounding error of this value is a thousand times smaller than the error of
  /// any camera's clock.
  private let period: UInt64
  /// When the next frame is due; nil before the first frame.
  private var due: MonotonicInstant?

  /// Creates a pacing for `rate`.
  ///
  /// - Parameter rate: the wanted frames per second, above 0.
  public init(rate: Rational) {
    period = UInt64(rate.denominator) * 1_000_000_000 / UInt64(rate.numerator)
  }

  /// Decides whether to deliver the next frame.
  ///
  /// - Parameters:
  ///   - instant: the driver's time stamp.
  ///   - interval: the nanoseconds from one frame of the camera to the next; 0 when they are not known. A frame that
  ///     comes up to half an interval too early counts as the frame that is due; otherwise jitter would decide which
  ///     frame to take.
  /// - Returns: whether the frame is due.
  public mutating func keeps(_ instant: MonotonicInstant, interval: UInt64) -> Bool {
    guard let due else {
      self.due = instant + period
      return true
    }
    guard instant + interval / 2 >= due else { return false }
    // After a pause, and when the camera is slower than the wanted rate, the grid begins anew at this frame, so that no
    // burst of frames makes up for those that did not come.
    self.due = due + period <= instant ? instant + period : due + period
    return true
  }
}

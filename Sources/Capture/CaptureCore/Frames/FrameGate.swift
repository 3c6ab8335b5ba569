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

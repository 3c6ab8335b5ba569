/// Which frame is the first with the settings of a shot. A value.
///
/// Cameras whose frames tell their own settings take them with the next exposure. V4L2 says nothing of when a control acts:
/// sensors take exposure and gain two frames late, as libcamera's `CameraSensor` assumes of those it does not know; a
/// frame stamped at its end began one earlier. Automatic exposure has arrived when three frames are equally bright.
public struct FrameGate: Sendable {
  /// Frames until a setting acts.
  public static let delay: UInt64 = 2
  /// Frames that automatic exposure is given.
  static let patience = 30
  /// The same where brightness cannot be seen at once.
  static let blindPatience = 15

  public let conditions: ShotConditions
  private var seen: UInt64 = 0
  private var lumas: [Double] = []

  public init(_ conditions: ShotConditions) { self.conditions = conditions }

  /// Takes the next frame of the stream.
  ///
  /// - Parameter luma: its mean brightness; nil when that cannot be had at once.
  /// - Returns: whether it counts.
  public mutating func admits(_ frame: Frame, luma: () -> Double?) -> Bool {
    guard frame.time.monotonicNanoseconds >= conditions.earliest else { return false }
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

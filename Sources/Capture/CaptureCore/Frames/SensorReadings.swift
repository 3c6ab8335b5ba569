/// The settings that a camera says it takes pictures with. A value that the camera does not tell is nil; no value is a
/// guess.
public struct SensorReadings: Hashable, Sendable {
  /// How long the sensor collects light, in nanoseconds; nil when the camera does not tell.
  public var exposureNanoseconds: UInt64?
  /// The value of the driver's gain control, in that control's unit; nil when the camera does not tell.
  public var gain: Int64?
  /// By how many EV automatic exposure makes the picture brighter; nil when the camera does not tell.
  public var exposureBias: Double?
  /// Whether a flash lights the picture; nil when the camera does not tell.
  public var isFlashOn: Bool?
  /// Whether the readings belong to this very frame. V4L2 only tells the settings that a camera had a little earlier.
  public var isOfFrame = false

  /// Creates readings that are not of a particular frame.
  ///
  /// - Parameters:
  ///   - exposureNanoseconds: nil when the camera does not tell.
  ///   - gain: in the unit of the driver's gain control; nil when the camera does not tell.
  public init(exposureNanoseconds: UInt64? = nil, gain: Int64? = nil) {
    self.exposureNanoseconds = exposureNanoseconds
    self.gain = gain
  }
}

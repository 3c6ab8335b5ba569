/// What a camera says that it takes pictures with. Nil is not told; nothing here is a guess.
public struct SensorReadings: Hashable, Sendable {
  /// How long the sensor collects light.
  public var exposureNanoseconds: UInt64?
  /// The value of the driver's gain control, in its own unit.
  public var gain: Int64?
  /// EV that automatic exposure makes it brighter by.
  public var exposureBias: Double?
  /// Whether a flash lights it.
  public var isFlashOn: Bool?
  /// Whether they are this very frame's. V4L2 only tells what a camera was set to a little earlier.
  public var isOfFrame = false

  public init(exposureNanoseconds: UInt64? = nil, gain: Int64? = nil) {
    self.exposureNanoseconds = exposureNanoseconds
    self.gain = gain
  }
}

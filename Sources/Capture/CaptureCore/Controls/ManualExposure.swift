/// An exposure set by hand. Nil is as the camera is set.
public struct ManualExposure: Hashable, Sendable {
  /// How long the sensor collects light. Cameras count in 100 µs.
  public var nanoseconds: UInt64?
  /// In the unit of the driver's gain control.
  public var gain: Int64?

  public init(nanoseconds: UInt64? = nil, gain: Int64? = nil) {
    self.nanoseconds = nanoseconds
    self.gain = gain
  }
}

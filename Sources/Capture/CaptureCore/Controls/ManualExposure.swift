/// An exposure that a client sets by hand. A value that is nil stays as the camera is set.
public struct ManualExposure: Hashable, Sendable {
  /// How long the sensor collects light, in nanoseconds. Cameras count this time in units of 100 µs. Nil leaves the
  /// camera's exposure time unchanged.
  public var nanoseconds: UInt64?
  /// The value of the driver's gain control, in that control's unit. Nil leaves the camera's gain unchanged.
  public var gain: Int64?

  /// Creates an exposure; each value that is nil stays as the camera is set.
  public init(nanoseconds: UInt64? = nil, gain: Int64? = nil) {
    self.nanoseconds = nanoseconds
    self.gain = gain
  }
}

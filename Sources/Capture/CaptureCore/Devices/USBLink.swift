/// A camera's link to its USB bus.
public struct USBLink: Hashable, Sendable {
  /// The number of the bus, as `lsusb` shows it. Cameras with the same number share the bandwidth of the bus.
  public var bus: Int
  /// The signalling rate in megabits per second, for example 12, 480 or 5000.
  public var megabitsPerSecond: Double
  /// The bandwidths that the camera can reserve, in bytes per second, the smallest first: one for each isochronous
  /// alternate setting of the camera's video streaming interfaces. Empty for a camera that uses bulk transfers, which
  /// reserve nothing.
  public var isochronousSettings: [Int]

  /// Creates a link.
  ///
  /// - Parameters: as the properties of the same names.
  public init(bus: Int, megabitsPerSecond: Double, isochronousSettings: [Int]) {
    self.bus = bus
    self.megabitsPerSecond = megabitsPerSecond
    self.isochronousSettings = isochronousSettings
  }
}

/// How a camera hangs on its USB bus.
public struct USBLink: Hashable, Sendable {
  /// As `lsusb` numbers it. Cameras with the same number share its bandwidth.
  public var bus: Int
  /// Signalling rate in megabits per second: 12, 480, 5000…
  public var megabitsPerSecond: Double
  /// What the camera can reserve, bytes per second, smallest first: one for each isochronous alternate setting of its
  /// video streaming interfaces. Empty for cameras that send in bulk, which reserve nothing.
  public var isochronousSettings: [Int]

  public init(bus: Int, megabitsPerSecond: Double, isochronousSettings: [Int]) {
    self.bus = bus
    self.megabitsPerSecond = megabitsPerSecond
    self.isochronousSettings = isochronousSettings
  }
}

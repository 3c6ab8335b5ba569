internal import CaptureCore

/// A device with which the kernel cools: a fan, or a processor that the kernel slows down. A cooling device reacts to
/// heat and does not cause it, so it gives no level.
public struct CoolingDevice: Hashable, Sendable {
  /// The folder of the device, for example `cooling_device0`.
  public var name: String
  /// The kind of device, for example `Processor` or `pwm-fan`. Empty when the kind could not be read.
  public var type: String
  /// How hard the device works: 0 is off, and `maximumState` is as hard as the device can. Nil when the state could not
  /// be read, or when the device is idle and tells no state.
  public var state: Int?
  /// The highest state of the device. Nil when it could not be read.
  public var maximumState: Int?
  /// What could not be read, as a text for people. Nil when everything could be read.
  public var fault: String?

  /// Makes a reading.
  ///
  /// - Parameters:
  ///   - name: the folder of the device.
  ///   - type: the kind of device. Empty when the kind could not be read.
  ///   - state: how hard the device works. Nil when the state could not be read or the device is idle.
  ///   - maximumState: the highest state. Nil when it could not be read.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(name: String, type: String, state: Int?, maximumState: Int?, fault: String? = nil) {
    self.name = name
    self.type = type
    self.state = state
    self.maximumState = maximumState
    self.fault = fault
  }
}

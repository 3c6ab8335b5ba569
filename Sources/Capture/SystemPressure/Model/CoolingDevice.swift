internal import CaptureCore

/// Something the kernel cools with: a fan, or a processor that it slows down. A reaction and no cause: gives no level.
public struct CoolingDevice: Hashable, Sendable {
  /// Its folder, for example `cooling_device0`.
  public var name: String
  /// What it is, for example `Processor` or `pwm-fan`. Empty when it could not be read.
  public var type: String
  /// How hard it works: 0 is off, `maximumState` as hard as it can. Nil when it could not be read or is idle.
  public var state: Int?
  /// Nil when it could not be read.
  public var maximumState: Int?
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(name: String, type: String, state: Int?, maximumState: Int?, fault: String? = nil) {
    self.name = name
    self.type = type
    self.state = state
    self.maximumState = maximumState
    self.fault = fault
  }
}

/// What pressure asks of the sessions of all cameras.
public struct PressureDemands: Hashable, Sendable {
  /// Of the machine alone.
  public var machine: PressureDemand
  /// Of the machine and a camera together, for cameras that tell of themselves.
  public var devices: [String: PressureDemand]

  public init(machine: PressureDemand = PressureDemand(), devices: [String: PressureDemand] = [:]) {
    self.machine = machine
    self.devices = devices
  }

  /// - Parameter device: nil for a session without a camera.
  public func demand(of device: String?) -> PressureDemand { device.flatMap { devices[$0] } ?? machine }
}

/// The demands that pressure makes on the sessions of all cameras.
public struct PressureDemands: Hashable, Sendable {
  /// The demand of the machine alone.
  public var machine: PressureDemand
  /// By device id, the demand of the machine and the camera together, for each camera that reports its own pressure.
  public var devices: [String: PressureDemand]

  /// Creates demands. By default, there is no pressure.
  public init(machine: PressureDemand = PressureDemand(), devices: [String: PressureDemand] = [:]) {
    self.machine = machine
    self.devices = devices
  }

  /// The demand on a session: that of its camera together with the machine, or that of the machine alone for a camera
  /// that does not report its own pressure.
  ///
  /// - Parameter device: the id of the session's camera; nil for a session without a camera.
  public func demand(of device: String?) -> PressureDemand { device.flatMap { devices[$0] } ?? machine }
}

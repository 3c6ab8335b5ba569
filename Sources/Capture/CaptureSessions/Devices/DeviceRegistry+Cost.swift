internal import CaptureCore

/// What is known of the machine and of other sessions, where it decides what a configuration costs.
extension DeviceRegistry {
  /// Prices a configuration with `cameras` beside the streams of all other sessions.
  nonisolated func costModel(of cameras: [ResolvedConfiguration.Input]) -> CostModel {
    CostModel(machine: machine.current, others: usb.demands(besides: cameras.first?.deviceID ?? ""))
  }

  nonisolated func cost(of demand: CostDemand?, of resolved: ResolvedConfiguration) -> ConfigurationCost {
    costModel(of: resolved.inputs).cost(of: demand)
  }

  /// Why a configuration cannot run on this hardware; nil when nothing makes that impossible.
  nonisolated func refusal(ofCost demand: CostDemand?, of resolved: ResolvedConfiguration) -> CaptureError? {
    CostRefusal.refusal(resolved, demand, model: costModel(of: resolved.inputs))
  }

  /// Adds to the driver's verdict that a bus is full which bus that is, and what should fit. Other errors stay as they are.
  func explained(_ error: CaptureError, starting request: StreamRequest, on device: Device) async -> CaptureError {
    guard error.reason == .bandwidthExceeded else { return error }
    var wanted = ResolvedConfiguration.empty
    wanted.inputs = [ResolvedConfiguration.Input(id: "", deviceID: device.id, request: request)]
    return CostRefusal.explained(error, wanted, devices: await devices(), model: costModel(of: wanted.inputs))
  }
}

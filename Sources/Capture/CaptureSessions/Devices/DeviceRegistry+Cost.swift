internal import CaptureCore

/// Computes costs with the facts that only the registry has: the machine's capacity and the streams of other sessions.
extension DeviceRegistry {
  /// Returns the model that prices a configuration with `cameras`, beside the streams of all other sessions.
  nonisolated func costModel(of cameras: [ResolvedConfiguration.Input]) -> CostModel {
    CostModel(machine: machine.current, others: usb.demands(besides: cameras.map(\.deviceID)))
  }

  nonisolated func cost(of demand: CostDemand?, of resolved: ResolvedConfiguration) -> ConfigurationCost {
    costModel(of: resolved.inputs).cost(of: demand)
  }

  /// Returns why a configuration cannot run on this hardware; nil when nothing makes that impossible.
  nonisolated func refusal(ofCost demand: CostDemand?, of resolved: ResolvedConfiguration) -> CaptureError? {
    CostRefusal.refusal(resolved, demand, model: costModel(of: resolved.inputs))
  }

  /// Adds two facts to a driver's refusal for lack of bandwidth: which bus is full, and which modes should fit. Returns
  /// other errors unchanged.
  func explained(_ error: CaptureError, starting request: StreamRequest, on device: Device) async -> CaptureError {
    guard error.reason == .bandwidthExceeded else { return error }
    var wanted = ResolvedConfiguration.empty
    wanted.inputs = [ResolvedConfiguration.Input(id: "", deviceID: device.id, request: request)]
    let sharing = device.limits.usb.map { usb.sharing($0, besides: device.id) } ?? []
    return CostRefusal.explained(
      error, wanted, devices: await devices(), sharing: sharing, model: costModel(of: wanted.inputs))
  }
}

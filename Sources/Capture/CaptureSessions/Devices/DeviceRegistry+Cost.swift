internal import CaptureCore

/// Computes costs with the facts that only the registry has: the machine's capacity and the streams of other sessions.
extension DeviceRegistry {
  /// Returns the model that prices a configuration with `cameras`, beside the streams of all other sessions.
  ///
  /// - Parameter session: the session that is to have the configuration. It gives up its other cameras for that.
  nonisolated func costModel(of cameras: [ResolvedConfiguration.Input], in session: String?) -> CostModel {
    let held = holders.filter { $0.value == session }.map(\.key)
    return CostModel(machine: machine.current, others: usb.demands(besides: cameras.map(\.sourceID) + held))
  }

  nonisolated func cost(
    of demand: CostDemand?, of resolved: ResolvedConfiguration, in session: String
  ) -> ConfigurationCost {
    costModel(of: resolved.inputs, in: session).cost(of: demand)
  }

  /// Returns why a configuration cannot run on this hardware; nil when nothing makes that impossible.
  nonisolated func refusal(
    ofCost demand: CostDemand?, of resolved: ResolvedConfiguration, in session: String
  ) -> CaptureError? {
    CostRefusal.refusal(resolved, demand, model: costModel(of: resolved.inputs, in: session))
  }

  /// Adds two facts to a driver's refusal for lack of bandwidth: which bus is full, and which modes should fit. Returns
  /// other errors unchanged.
  func explained(_ error: CaptureError, starting request: StreamRequest, on device: Device) async -> CaptureError {
    guard error.reason == .bandwidthExceeded else { return error }
    var wanted = ResolvedConfiguration.empty
    wanted.inputs = [ResolvedConfiguration.Input(id: "", source: .device(device.id), request: request)]
    let sharing = device.limits.usb.map { usb.sharing($0, besides: device.id) } ?? []
    return CostRefusal.explained(
      error, wanted, devices: await devices(), sharing: sharing, model: costModel(of: wanted.inputs, in: nil))
  }
}

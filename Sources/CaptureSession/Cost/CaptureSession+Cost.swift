internal import CaptureCore
internal import Logging

/// What a session's configuration costs, and what follows from it.
extension CaptureSession {
  /// Finds changes that bring a configuration's cost to at most 1; nothing when it does already. Changes nothing.
  ///
  /// - Parameter wanted: nil for the session's own.
  /// - Throws: ``ConfigurationError``, `noLowerCost`.
  public func suggestLowerCost(of wanted: SessionConfiguration?) async throws -> [CostReduction] {
    try checkAlive()
    let asked = named(wanted ?? asked)
    let present = await devices.devices()
    let (resolved, issues) = ConfigurationResolver.resolve(asked, devices: present)
    guard issues.isEmpty else { throw ConfigurationError(issues: issues) }
    return try CostReducer(devices: present, model: costModel(for: resolved), present: self.resolved.input)
      .reductions(of: asked)
  }

  /// With what is known now of the machine and of other sessions.
  func costModel(for resolved: ResolvedConfiguration) -> CostModel {
    CostModel(machine: devices.machine.current, others: devices.usb.demands(besides: resolved.input?.deviceID ?? ""))
  }

  /// What stands against running `resolved`; nil when nothing does.
  func refusal(of resolved: ResolvedConfiguration, _ demand: CostDemand?) -> CaptureError? {
    CostRefusal.refusal(resolved, demand, model: costModel(for: resolved))
  }

  /// Refuses to start what the hardware cannot do, as an error of the session too.
  func checkCost() throws(CaptureError) {
    guard var error = refusal(of: resolved, demand) else { return }
    error.field = nil
    events.append(.runtimeError(error))
    logger.info("start refused", metadata: ["reason": "\(error.reason.rawValue)", "cause": "\(error.message)"])
    throw error
  }

  /// The machine has been measured: what was not known of the configuration's cost is known now.
  func machineWasMeasured() {
    guard (try? checkAlive()) != nil else { return }
    tellCost()
    warnOfCost()
  }

  /// Tells watchers what the configuration costs now. A session without a camera costs nothing, whatever happens.
  func tellCost() {
    guard demand != nil else { return }
    events.append(.costChanged(costModel(for: resolved).cost(of: demand)))
  }

  /// Tells of what probably does not work, once for each commit and when the machine has been measured.
  func warnOfCost() {
    let cost = costModel(for: resolved).cost(of: demand)
    for part in cost.components where part.cost > 1 && part.certainty == .estimated {
      logger.warning(
        "configuration costs more than there is",
        metadata: [
          "resource": "\(part.resource.rawValue)", "what": "\(part.description)", "cost": "\(part.cost)",
        ])
    }
  }

  /// Adds to a bus that is full which bus it is, and what would fit. Other errors stay as they are.
  func explained(_ error: CaptureError, starting input: ResolvedConfiguration.Input) async -> CaptureError {
    guard error.reason == .bandwidthExceeded else { return error }
    var wanted = resolved
    wanted.input = input
    return CostRefusal.explained(
      error, wanted, devices: await devices.devices(), model: costModel(for: wanted))
  }
}

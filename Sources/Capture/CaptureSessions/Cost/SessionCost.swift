internal import CaptureCore
internal import Logging

/// What a session says about the cost of its configuration.
struct SessionCost {
  let port: SessionPort
  let devices: DeviceRegistry
  let committed: CommittedConfiguration

  private var cost: ConfigurationCost { devices.cost(of: committed.demand, of: committed.resolved) }

  /// Finds changes that bring a configuration's cost to at most 1; nothing when it does already. Changes nothing.
  ///
  /// - Throws: ``ConfigurationError``, `noLowerCost`.
  nonisolated(nonsending) func reductions(of wanted: SessionConfiguration?) async throws -> [CostReduction] {
    let asked = committed.named(wanted ?? committed.asked)
    let present = await devices.devices()
    let (resolved, issues) = ConfigurationResolver.resolve(asked, devices: present)
    guard issues.isEmpty else { throw ConfigurationError(issues: issues) }
    let model = devices.costModel(of: resolved.inputs)
    return try CostReducer(devices: present, model: model, present: committed.resolved.input).reductions(of: asked)
  }

  /// Refuses to start what the hardware cannot do, as an error of the session too.
  func check() throws(CaptureError) {
    guard var error = devices.refusal(ofCost: committed.demand, of: committed.resolved) else { return }
    error.field = nil
    port.events.append(.runtimeError(error))
    port.logger.info("start refused", metadata: ["reason": "\(error.reason.rawValue)", "cause": "\(error.message)"])
    throw error
  }

  /// Tells watchers what the configuration costs now. A session without a camera costs nothing, whatever happens.
  func tell() {
    guard committed.demand != nil else { return }
    port.events.append(.costChanged(cost))
  }

  /// Warns of what probably does not work, once for each commit and when the machine has been measured.
  func warn() {
    for part in cost.components where part.cost > 1 && part.certainty == .estimated {
      port.logger.warning(
        "configuration costs more than there is",
        metadata: [
          "resource": "\(part.resource.rawValue)", "what": "\(part.description)", "cost": "\(part.cost)",
        ])
    }
  }
}

internal import CaptureCore
internal import Logging

/// Reports, checks and lowers the cost of a session's configuration.
struct SessionCost {
  let port: SessionPort
  let devices: DeviceRegistry
  let committed: CommittedConfiguration
  let microphones: MicrophoneRegistry
  /// Whether the session runs or waits until it can.
  let isOn: Bool

  private var cost: ConfigurationCost { devices.cost(of: committed.demand, of: committed.resolved, in: port.sessionID) }

  /// Finds changes that bring the cost of a configuration to at most 1. Changes nothing in the session.
  ///
  /// - Parameter wanted: the configuration; nil for the session's own.
  /// - Returns: the changes in order; empty when the configuration costs at most 1 already.
  /// - Throws: ``ConfigurationError`` when the configuration has issues; `noLowerCost` when no mode of the camera costs
  ///   at most 1.
  nonisolated(nonsending) func reductions(of wanted: SessionConfiguration?) async throws -> [CostReduction] {
    let asked = committed.named(wanted ?? committed.asked)
    let present = committed.withThoseAway(await devices.devices(), isOn: isOn)
    let sounds = await ConfigurationProposer.microphones(in: microphones, usedBy: committed)
    let (resolved, issues) = ConfigurationResolver.resolve(asked, devices: present, microphones: sounds)
    guard issues.isEmpty else { throw ConfigurationError(issues: issues) }
    let model = devices.costModel(of: resolved.inputs, in: port.sessionID)
    return try CostReducer(
      devices: present, microphones: sounds, model: model, present: committed.resolved.inputs
    ).reductions(of: asked)
  }

  /// Checks that the hardware can run the configuration. A refusal also becomes an error event of the session.
  ///
  /// - Throws: `hardwareCostExceeded`.
  func check() throws(CaptureError) {
    let refusal = devices.refusal(ofCost: committed.demand, of: committed.resolved, in: port.sessionID)
    guard var error = refusal else { return }
    error.field = nil
    port.events.append(.runtimeError(error, input: nil))
    port.logger.info("start refused", metadata: ["reason": "\(error.reason.rawValue)", "cause": "\(error.message)"])
    throw error
  }

  /// Sends watchers an event with the present cost of the configuration. A session without a camera always costs
  /// nothing, so its watchers get no event.
  func tell() {
    guard committed.demand != nil else { return }
    port.events.append(.costChanged(cost))
  }

  /// Logs a warning for each component that probably does not work. The session calls this once for each commit, and
  /// again when the machine has been measured.
  func warn() {
    for part in cost.components where part.cost > 1 && part.certainty == .estimated {
      port.logger.warning(
        "the configuration costs more than the machine has",
        metadata: [
          "resource": "\(part.resource.rawValue)", "what": "\(part.description)", "cost": "\(part.cost)",
        ])
    }
  }
}

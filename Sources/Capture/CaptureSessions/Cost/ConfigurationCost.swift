internal import CaptureCore
internal import Logging

/// The cost of a configuration, with the figures that it was computed from. `docs/cost.md` describes the model.
public struct ConfigurationCost: Hashable, Sendable {
  /// One resource that the configuration uses.
  public struct Component: Hashable, Sendable {
    /// A resource of the machine or of a camera. The raw value is the resource's name in the metadata of errors.
    public enum Resource: String, Hashable, Sendable, CaseIterable {
      /// USB bandwidth, in bytes per second.
      case usbBandwidth = "USB_BANDWIDTH"
      /// Memory bandwidth for copying frames, in bytes per second.
      case memoryBandwidth = "MEMORY_BANDWIDTH"
      /// Conversion between pixel formats, in pixels per second.
      case conversion = "CONVERSION"
      /// Compression to JPEG, in pixels per second.
      case encoding = "ENCODING"
      /// Reading the camera's sensor, in pixels per second.
      case sensorReadout = "SENSOR_READOUT"
    }
    /// The resource that the other properties describe.
    public var resource: Resource
    /// A description of the resource for people: which bus, camera or work it is.
    public var description: String
    /// How much of the resource the configuration takes, in the unit of ``resource``.
    public var demand: Double
    /// How much of the resource this session can have, in the unit of ``resource``; 0 while ``certainty`` is `unknown`.
    public var capacity: Double
    /// How reliable ``demand`` and ``capacity`` are.
    public var certainty: Certainty
    /// The ids of the cameras that take something of the resource; empty when all of them do.
    public var concerned: [String] = []

    /// ``demand`` as a share of ``capacity``: 1 is all there is. 0 while ``certainty`` is `unknown`.
    public var cost: Double { certainty == .unknown ? 0 : demand / max(capacity, 1) }
  }

  /// How reliable the figures of a component are.
  public enum Certainty: Hashable, Sendable {
    /// A demand above the capacity cannot work.
    case exact
    /// A demand above the capacity probably does not work.
    case estimated
    /// The machine has not been measured yet, so the capacity is unknown.
    case unknown
  }

  /// The resources that the configuration uses; empty for a configuration without a camera.
  public var components: [Component] = []
  /// The expected processor load as a share of the load that the machine sustains indefinitely; 0 while the machine has
  /// not been measured. Above 1 previews skip frames, and the machine gets warm.
  public var systemPressure = 0.0

  /// The largest cost of a component; 0 when there is no component. 1 is all that the hardware has.
  public var hardware: Double { components.map(\.cost).max() ?? 0 }

  /// The component that makes the configuration impossible: of those that are exact and cost more than 1, the one that
  /// costs most. Nil when there is none.
  var impossible: Component? { components.filter { $0.certainty == .exact && $0.cost > 1 }.max { $0.cost < $1.cost } }
}

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
    port.logger.info(
      "The session does not start, because it costs too much.",
      metadata: ["error.reason": "\(error.reason.rawValue)", "error.message": "\(error.message)"])
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
        "The configuration costs more than the machine has.",
        metadata: [
          "cost.resource": "\(part.resource.rawValue)", "cost.part": "\(part.description)",
          "cost.value": "\(part.cost)",
        ])
    }
  }
}

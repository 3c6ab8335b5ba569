/// What a configuration costs, with the figures that went into it. `docs/cost.md` describes the model.
public struct ConfigurationCost: Hashable, Sendable {
  /// One resource it uses.
  public struct Component: Hashable, Sendable {
    /// The raw value is the name in errors' metadata.
    public enum Resource: String, Hashable, Sendable, CaseIterable {
      /// Bytes per second.
      case usbBandwidth = "USB_BANDWIDTH"
      /// Bytes per second.
      case memoryBandwidth = "MEMORY_BANDWIDTH"
      /// Pixels per second.
      case conversion = "CONVERSION"
      /// Pixels per second.
      case encoding = "ENCODING"
      /// Pixels per second.
      case sensorReadout = "SENSOR_READOUT"
    }
    public var resource: Resource
    /// Which one, for people.
    public var description: String
    /// What the configuration takes of it, in the resource's unit.
    public var demand: Double
    /// What there is of it for this session; 0 while that is not known.
    public var capacity: Double
    public var certainty: Certainty

    /// The share taken; 0 while what there is is not known.
    public var cost: Double { certainty == .unknown ? 0 : demand / max(capacity, 1) }
  }

  /// How much a component's figures can be relied on.
  public enum Certainty: Hashable, Sendable {
    /// More than there is cannot work.
    case exact
    /// More than there is probably does not work.
    case estimated
    /// The machine was not measured yet, so that nothing is said of how much there is.
    case unknown
  }

  public var components: [Component] = []
  /// The expected load as a share of what the machine bears for ever; 0 while that is not known.
  public var systemPressure = 0.0

  /// The largest share; 0 without a component.
  public var hardware: Double { components.map(\.cost).max() ?? 0 }

  /// The component that makes the configuration impossible.
  var impossible: Component? { components.filter { $0.certainty == .exact && $0.cost > 1 }.max { $0.cost < $1.cost } }
}

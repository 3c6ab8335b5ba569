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

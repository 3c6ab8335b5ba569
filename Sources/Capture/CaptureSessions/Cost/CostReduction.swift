internal import CaptureCore

/// One change that makes a configuration cheaper, and the configuration after the change.
public struct CostReduction: Hashable, Sendable {
  /// The path of the configuration field that changes, such as `configuration.inputs[0].format`.
  public var field: String
  /// The camera's mode before and after the change, for people.
  public var description: String
  /// The whole configuration with this change and all changes before it.
  public var configuration: SessionConfiguration
  /// The cost of ``configuration``.
  public var cost: ConfigurationCost
}

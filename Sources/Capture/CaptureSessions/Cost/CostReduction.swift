internal import CaptureCore

/// One change that makes a configuration cheaper.
public struct CostReduction: Hashable, Sendable {
  /// Path of the field that changes.
  public var field: String
  /// From what to what.
  public var description: String
  /// The whole configuration with this change and those before it.
  public var configuration: SessionConfiguration
  public var cost: ConfigurationCost
}

internal import CaptureCore

/// A configuration that may become the session's: what was asked for, what that means on the present cameras, and
/// everything that stands against it.
struct ConfigurationProposal: Sendable {
  var asked: SessionConfiguration
  var resolved: ResolvedConfiguration
  /// As in ``CommittedConfiguration/formats``.
  var formats: [Int: StreamFormat] = [:]
  var demand: CostDemand?
  /// Empty for a configuration that can be committed.
  var issues: [CaptureError]
}

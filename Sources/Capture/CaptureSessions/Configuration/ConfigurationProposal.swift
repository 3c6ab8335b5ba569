internal import CaptureCore

/// A configuration that may become the session's: the client's request, its resolution on the present cameras, and
/// every issue with it.
struct ConfigurationProposal: Sendable {
  var asked: SessionConfiguration
  var resolved: ResolvedConfiguration
  /// As ``CommittedConfiguration/formats``.
  var formats: [String: StreamFormat] = [:]
  var demand: CostDemand?
  /// Why the configuration cannot be committed; empty when it can.
  var issues: [CaptureError]
}

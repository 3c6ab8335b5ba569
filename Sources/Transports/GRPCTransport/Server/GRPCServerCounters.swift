/// The counters of a server for metrics. All counters except ``connections`` and ``calls`` count since the start.
public struct GRPCServerCounters: Hashable, Sendable {
  /// The connections that are open now.
  public var connections: UInt64
  /// The connections that the server accepted.
  public var connectionsAccepted: UInt64
  /// The connections that the server closed on arrival, because a limit was reached, because connections from the
  /// address are refused for a while, or because the process had no descriptor left.
  public var connectionsRefused: UInt64
  /// The connections without a call that the server closed in favour of a new connection.
  public var connectionsGaveWay: UInt64
  /// The connections that the server cut because they opened far more calls than ``ConnectionBudget`` allows.
  public var connectionsCutForCalls: UInt64
  /// The connections that the server cut because they sent far more bytes than their messages and calls account for.
  public var connectionsCutForBytes: UInt64
  /// The calls that are waiting or running now.
  public var calls: Int
  /// The calls that the server refused, because the server had too many or because their connection opened too many.
  public var callsRefused: UInt64
}

public import SystemClocks

/// What a handler knows of its call besides the messages. The transport fills it in.
public struct CallContext: Sendable {
  /// The method that the client called. A client may call one that the router does not have.
  public let method: MethodName
  /// Where the client is, for logs: `ipv4:127.0.0.1:4711`, `ipv6:[::1]:4711`, `unix:`. Each transport writes an address
  /// in this form, and none of them proves who the client is.
  public let peer: String
  /// The client's process, where the transport learns it from the kernel: on a Unix socket. Nil on every other
  /// connection.
  public let peerCredentials: PeerCredentials?
  /// What the client sent beside its messages.
  public let metadata: Metadata
  /// When the client stops waiting. The transport cancels the call at that time. Nil: the client set no deadline.
  public let deadline: MonotonicInstant?
  /// When the transport first saw the call, before any task was scheduled for it.
  public let arrival: MonotonicInstant
  /// What the transport sends with the status, whatever the outcome.
  public let trailingMetadata: TrailingMetadata

  /// Transports make contexts, and so do tests of handlers.
  public init(
    method: MethodName, peer: String = "", peerCredentials: PeerCredentials? = nil,
    metadata: Metadata = Metadata(), deadline: MonotonicInstant? = nil, arrival: MonotonicInstant = .now()
  ) {
    self.method = method
    self.peer = peer
    self.peerCredentials = peerCredentials
    self.metadata = metadata
    self.deadline = deadline
    self.arrival = arrival
    trailingMetadata = TrailingMetadata()
  }
}

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
  /// When the client stops waiting, in nanoseconds of CLOCK_MONOTONIC. The transport cancels the call at that time.
  /// Nil: the client set no deadline.
  public let deadlineNanoseconds: UInt64?
  /// When the transport first saw the call, in nanoseconds of CLOCK_MONOTONIC, before any task was scheduled for it.
  public let arrivalNanoseconds: UInt64
  /// What the transport sends with the status, whatever the outcome.
  public let trailingMetadata: TrailingMetadata

  /// Transports make contexts, and so do tests of handlers.
  public init(
    method: MethodName, peer: String = "", peerCredentials: PeerCredentials? = nil,
    metadata: Metadata = Metadata(), deadlineNanoseconds: UInt64? = nil, arrivalNanoseconds: UInt64 = 0
  ) {
    self.method = method
    self.peer = peer
    self.peerCredentials = peerCredentials
    self.metadata = metadata
    self.deadlineNanoseconds = deadlineNanoseconds
    self.arrivalNanoseconds = arrivalNanoseconds
    trailingMetadata = TrailingMetadata()
  }
}

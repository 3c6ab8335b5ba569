internal import Synchronization

/// What a handler knows of its call besides the messages.
public struct CallContext: Sendable {
  public let method: MethodDescriptor
  /// The client's address in gRPC's notation: `ipv4:127.0.0.1:4711`, `ipv6:…`, `unix:`. Not authenticated.
  public let peer: String
  /// The client's process, on a Unix socket; else nil.
  public let peerCredentials: PeerCredentials?
  /// What the client sent beside its messages.
  public let metadata: Metadata
  /// When the client stops waiting: CLOCK_MONOTONIC, nanoseconds. The handler's task is cancelled then. Nil: never.
  public let deadlineNanoseconds: UInt64?
  /// When the server first saw the call: CLOCK_MONOTONIC, nanoseconds, before any scheduling.
  public let arrivalNanoseconds: UInt64
  /// Sent with the status, whatever the outcome.
  public let trailingMetadata: TrailingMetadata

  /// For the server, and for tests of handlers.
  public init(
    method: MethodDescriptor, peer: String = "", peerCredentials: PeerCredentials? = nil,
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

/// The process at the other end of a Unix socket when it connected (SO_PEERCRED).
public struct PeerCredentials: Hashable, Sendable {
  public let processID: Int32
  public let userID: UInt32
  public let groupID: UInt32

  public init(processID: Int32, userID: UInt32, groupID: UInt32) {
    self.processID = processID
    self.userID = userID
    self.groupID = groupID
  }
}

/// Metadata that is collected while a call runs and sent at its end; later additions are lost. Thread-safe.
public final class TrailingMetadata: Sendable {
  private let metadata = Mutex(Metadata())

  init() {}

  /// As ``Metadata/add(_:forKey:)``. An entry that HTTP/2 forbids is left out.
  public func add(_ value: String, forKey key: String) {
    metadata.withLock { $0.add(value, forKey: key) }
  }

  /// As ``Metadata/add(binary:forKey:)``. An entry that HTTP/2 forbids is left out.
  public func add(binary value: [UInt8], forKey key: String) {
    metadata.withLock { $0.add(binary: value, forKey: key) }
  }

  /// What was added so far.
  public var value: Metadata { metadata.withLock { $0 } }
}

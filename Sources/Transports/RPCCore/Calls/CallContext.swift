internal import Locking
public import SystemClocks

/// The facts of a call that a handler may need besides the call's messages. The transport makes one context per call.
public struct CallContext: Sendable {
  /// The method that the client called. The router may have no handler for this method.
  public let method: MethodName
  /// The client's address for logs, in the form in which gRPC writes it: `ipv4:127.0.0.1:4711`,
  /// `ipv6:%5B::1%5D:4711` (an IPv6 address with its brackets percent-encoded) or `unix:`. Other transports write the
  /// same form. The address does not prove who the client is.
  public let peer: String
  /// Who calls, as far as the transport can tell.
  public let principal: Principal
  /// The metadata that the client sent before its first message.
  public let metadata: Metadata
  /// The client's deadline. The transport cancels the call at that time. Nil when the client set no deadline.
  public let deadline: MonotonicInstant?
  /// The time at which the transport first saw the call. The time is taken before any task is scheduled for the call.
  public let arrival: MonotonicInstant
  /// The metadata that the transport sends together with the status, whether the call succeeds or fails.
  public let trailingMetadata: TrailingMetadata

  /// Makes a context with empty trailing metadata. Transports call this initializer, and so do tests of handlers.
  public init(
    method: MethodName, peer: String = "", principal: Principal = .anonymous,
    metadata: Metadata = Metadata(), deadline: MonotonicInstant? = nil, arrival: MonotonicInstant = .now()
  ) {
    self.method = method
    self.peer = peer
    self.principal = principal
    self.metadata = metadata
    self.deadline = deadline
    self.arrival = arrival
    trailingMetadata = TrailingMetadata()
  }
}

/// Metadata that the handler and the interceptors collect while a call runs. The transport sends the metadata at the
/// end of the call, so entries that are added after the end are lost. Thread-safe.
public final class TrailingMetadata: Sendable {
  private let metadata = Locked(Metadata())

  init() {}

  /// Adds a text, under the rules of ``Metadata/add(_:forKey:)``. The transport leaves out an entry that it cannot
  /// send.
  public func add(_ value: String, forKey key: String) {
    metadata.withLock { $0.add(value, forKey: key) }
  }

  /// Adds bytes, under the rules of ``Metadata/add(binary:forKey:)``. The transport leaves out an entry that it cannot
  /// send.
  public func add(binary value: [UInt8], forKey key: String) {
    metadata.withLock { $0.add(binary: value, forKey: key) }
  }

  /// The entries that have been added so far.
  public var value: Metadata { metadata.withLock { $0 } }
}

/// Code that runs around the handler of every call, for example for logging, metrics or authentication.
public protocol ServerInterceptor: Sendable {
  /// Lets a call proceed by calling `next` once, or refuses the call by throwing. An error that this function throws is
  /// the outcome of the call.
  ///
  /// The executor also calls this function for methods that the router does not have, so that such calls appear in
  /// logs. A transport that has too many calls refuses a call before the interceptors see it.
  ///
  /// - Parameters:
  ///   - context: the facts of the call.
  ///   - next: runs the remaining interceptors and the handler. `next` throws an ``RPCError`` when the handler fails,
  ///     and the error of an inner interceptor when that interceptor throws.
  func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws
}

extension RPCError {
  /// One of the canonical status codes, which gRPC, gRPC-Web and Connect share.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number of the code in `google.rpc.Code`, 0 to 16.
    public let rawValue: Int

    /// Makes the code with a number. Nil when the number is not 0 to 16.
    public init?(rawValue: Int) {
      guard Self.names.indices.contains(rawValue) else { return nil }
      self.rawValue = rawValue
    }

    private init(known rawValue: Int) { self.rawValue = rawValue }

    /// The call succeeded.
    public static let ok = Code(known: 0)
    /// The client cancelled the call, or the client is gone.
    public static let cancelled = Code(known: 1)
    /// The call failed for a reason that no other code describes.
    public static let unknown = Code(known: 2)
    /// The request is wrong, whatever the state of the server.
    public static let invalidArgument = Code(known: 3)
    /// The client's deadline passed before the call ended.
    public static let deadlineExceeded = Code(known: 4)
    /// A thing that the request names does not exist.
    public static let notFound = Code(known: 5)
    /// A thing that the request would create exists already.
    public static let alreadyExists = Code(known: 6)
    /// The server knows the client and does not let the client make this call.
    public static let permissionDenied = Code(known: 7)
    /// A limit or a budget is used up.
    public static let resourceExhausted = Code(known: 8)
    /// The state of the server does not allow the call. The client must change the state before another try.
    public static let failedPrecondition = Code(known: 9)
    /// The call lost against another call that changed the same thing. The client may repeat a longer sequence of
    /// calls.
    public static let aborted = Code(known: 10)
    /// A value of the request is outside the range that is valid at present.
    public static let outOfRange = Code(known: 11)
    /// The server does not have the method, or does not support a feature that the request needs.
    public static let unimplemented = Code(known: 12)
    /// The server failed unexpectedly.
    public static let `internal` = Code(known: 13)
    /// The server cannot take the call at present. The client may try again later.
    public static let unavailable = Code(known: 14)
    /// Data is lost or damaged and cannot be recovered.
    public static let dataLoss = Code(known: 15)
    /// The request does not say, or does not prove, who the client is.
    public static let unauthenticated = Code(known: 16)

    /// The name of the code in `google.rpc.Code`, for example `INVALID_ARGUMENT`.
    public var description: String { Self.names[rawValue] }

    private static let names = [
      "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
      "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
      "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
    ]
  }
}

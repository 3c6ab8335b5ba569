extension RPCError {
  /// One of the canonical status codes that gRPC, gRPC-Web and Connect share.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in `google.rpc.Code`, 0 to 16.
    public let rawValue: Int

    public init?(rawValue: Int) {
      guard Self.names.indices.contains(rawValue) else { return nil }
      self.rawValue = rawValue
    }

    private init(known rawValue: Int) { self.rawValue = rawValue }

    public static let ok = Code(known: 0)
    public static let cancelled = Code(known: 1)
    public static let unknown = Code(known: 2)
    public static let invalidArgument = Code(known: 3)
    public static let deadlineExceeded = Code(known: 4)
    public static let notFound = Code(known: 5)
    public static let alreadyExists = Code(known: 6)
    public static let permissionDenied = Code(known: 7)
    public static let resourceExhausted = Code(known: 8)
    public static let failedPrecondition = Code(known: 9)
    public static let aborted = Code(known: 10)
    public static let outOfRange = Code(known: 11)
    public static let unimplemented = Code(known: 12)
    public static let `internal` = Code(known: 13)
    public static let unavailable = Code(known: 14)
    public static let dataLoss = Code(known: 15)
    public static let unauthenticated = Code(known: 16)

    /// The name in `google.rpc.Code`: `INVALID_ARGUMENT`.
    public var description: String { Self.names[rawValue] }

    private static let names = [
      "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
      "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
      "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
    ]
  }
}

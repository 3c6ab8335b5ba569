internal import SwiftProtobuf

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension CallTransport {
  /// Reads the next message of a request stream.
  func readNext<Q: Message>(_ method: MethodName) async throws -> Q? {
    guard let bytes = try await read() else { return nil }
    guard bytes.count <= maximumRequestBytes else {
      throw RPCError(
        .resourceExhausted,
        "The request of \(bytes.count) bytes is over the limit of \(maximumRequestBytes) bytes.",
        reason: "REQUEST_TOO_LARGE", metadata: ["size": "\(bytes.count)", "limit": "\(maximumRequestBytes)"])
    }
    return try bytes.decode(method)
  }

  /// Reads the request of a method that takes a single one.
  func readOnly<Q: Message>(_ method: MethodName) async throws -> Q {
    guard let request: Q = try await readNext(method) else {
      throw RPCError(
        .invalidArgument, "\(method) takes one request; the client sent none.", reason: "MISSING_REQUEST",
        metadata: ["method": method.description])
    }
    return request
  }
}

extension ReceivedBytes {
  /// - Throws: ``RPCError`` `INVALID_ARGUMENT`.
  fileprivate func decode<M: Message>(_ method: MethodName) throws -> M {
    do {
      return try withUnsafeBytes { bytes throws(any Error) in
        guard bytes.count > 0, let base = bytes.baseAddress else { return M() }
        // SwiftProtobuf copies what it keeps, so the message does not point into the transport's memory.
        return try M(
          serializedBytes: Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: bytes.count, deallocator: .none))
      }
    } catch {
      throw RPCError(
        .invalidArgument, "The request of \(method) is not a \(M.protoMessageName).", reason: "MALFORMED_REQUEST",
        metadata: ["method": method.description, "message": M.protoMessageName])
    }
  }
}

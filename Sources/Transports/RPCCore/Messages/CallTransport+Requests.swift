internal import SwiftProtobuf

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension CallTransport {
  /// Reads and decodes the next message of a request stream. Returns nil after the last message.
  ///
  /// - Throws: ``RPCError`` `REQUEST_TOO_LARGE` for a message of more than `maximumRequestBytes` bytes and
  ///   `MALFORMED_REQUEST` for a message that cannot be decoded, `CancellationError` once the call or the task is
  ///   cancelled.
  func readNext<Q: Message>(_ method: MethodName) async throws -> Q? {
    guard let bytes = try await read() else { return nil }
    guard bytes.count <= maximumRequestBytes else {
      throw RPCError.requestTooLarge(bytes: bytes.count, limit: maximumRequestBytes)
    }
    return try bytes.decode(method)
  }

  /// Reads the request of a method that takes a single request.
  ///
  /// - Throws: ``RPCError`` `MISSING_REQUEST` when the client sent no request, otherwise the errors of
  ///   ``readNext(_:)``.
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
  /// Decodes a request of a method.
  ///
  /// - Throws: ``RPCError`` `INVALID_ARGUMENT` `MALFORMED_REQUEST` when the bytes are not such a message.
  fileprivate func decode<M: Message>(_ method: MethodName) throws -> M {
    do {
      return try withUnsafeBytes { bytes throws(any Error) in
        guard bytes.count > 0, let base = bytes.baseAddress else { return M() }
        // The message does not point into the transport's memory, because SwiftProtobuf copies the bytes that the
        // message keeps.
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

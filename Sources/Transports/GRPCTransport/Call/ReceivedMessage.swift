internal import CGRPC
internal import SwiftProtobuf

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The bytes of a message from the client, in gRPC's memory.
final class ReceivedMessage: @unchecked Sendable {
  // Unchecked because of the pointer: nothing writes to a message once it is received.
  private let message: OpaquePointer

  /// Takes over the message.
  init(_ message: OpaquePointer) { self.message = message }

  deinit { cgrpc_message_destroy(message) }

  var count: Int { cgrpc_message_bytes(message).count }

  /// - Throws: ``RPCError`` `INVALID_ARGUMENT`.
  func decode<M: Message>(_ method: MethodDescriptor) throws -> M {
    let bytes = cgrpc_message_bytes(message)
    do {
      guard bytes.count > 0, let base = bytes.base else { return M() }
      let data = Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: bytes.count, deallocator: .none)
      // SwiftProtobuf copies what it keeps, so nothing of this memory outlives the call.
      return try withExtendedLifetime(self) { try M(serializedBytes: data) }
    } catch {
      throw RPCError(
        .invalidArgument, "The request of \(method) is not a \(M.protoMessageName).", reason: "MALFORMED_REQUEST",
        metadata: ["method": method.description, "message": M.protoMessageName])
    }
  }
}

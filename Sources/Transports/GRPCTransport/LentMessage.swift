internal import CGRPC
public import SwiftProtobuf
internal import Synchronization

/// Memory that is lent to the socket instead of being copied into a message.
public protocol LentPayload: AnyObject, Sendable {
  /// Calls `body` with the bytes. The pointer must stay valid, and the bytes unchanged, for as long as the object
  /// lives: the object is retained until gRPC has let go of the memory.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}

/// An encoded message in two pieces: a copied header and a payload that is lent. Many writers may share one payload, or
/// write the very same message, which costs least.
public final class LentMessage: Sendable {
  /// Encoded fields up to and including the tag and length of the last field, which is of type bytes.
  public let header: [UInt8]
  /// The bytes of that field.
  public let payload: any LentPayload
  /// What gRPC writes, made of the pieces by the first write: the address of a `cgrpc_buffer`; 0 before.
  private let buffer = Mutex<UInt>(0)

  public init(header: [UInt8], payload: any LentPayload) {
    self.header = header
    self.payload = payload
  }

  /// Encodes a message. For one with pixels that would be a copy.
  public convenience init(_ message: some Message) throws {
    let bytes: SerializedMessage = try message.serializedBytes()
    self.init(header: [], payload: bytes.memory)
  }

  deinit {
    if let buffer = OpaquePointer(bitPattern: buffer.withLock { $0 }) { cgrpc_buffer_destroy(buffer) }
  }

  /// - Parameter body: gets what all writes of this message share; nil when out of memory.
  func withBuffer(_ body: (OpaquePointer?) -> Void) {
    let made = buffer.withLock { buffer in
      if buffer == 0 { withSlices { buffer = UInt(bitPattern: cgrpc_buffer_create($0.baseAddress, $0.count)) } }
      return buffer
    }
    withExtendedLifetime(self) { body(OpaquePointer(bitPattern: made)) }
  }
}

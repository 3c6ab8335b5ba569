public import SwiftProtobuf

/// Memory that is lent to the socket instead of being copied into a message.
public protocol LentPayload: AnyObject, Sendable {
  /// Calls `body` with the bytes. The pointer must stay valid, and the bytes unchanged, for as long as the object
  /// lives: the object is retained until gRPC has let go of the memory.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}

/// An encoded message in two pieces: a copied header and a payload that is lent. Many writers may share one payload, or
/// write the very same message, which costs least.
public struct LentMessage: Sendable {
  /// Encoded fields up to and including the tag and length of the last field, which is of type bytes.
  public let header: [UInt8]
  /// The bytes of that field.
  public let payload: any LentPayload
  /// Shared by all copies.
  let prepared = PreparedMessage()

  public init(header: [UInt8], payload: any LentPayload) {
    self.header = header
    self.payload = payload
  }

  /// Encodes a message. For one with pixels that would be a copy.
  public init(_ message: some Message) throws {
    let encoded = try SerializedMessage.encode(message)
    self.init(header: encoded.header, payload: encoded.payload)
  }
}

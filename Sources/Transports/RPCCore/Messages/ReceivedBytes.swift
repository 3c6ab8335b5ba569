/// The bytes of one message from the client, in the transport's memory.
package protocol ReceivedBytes: Sendable {
  /// The length of the message in bytes.
  var count: Int { get }
  /// Calls `body` with the bytes. The bytes never change, and the pointer is valid until `body` returns.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}

/// The bytes of one message from the client, in memory of the transport.
package protocol ReceivedBytes: Sendable {
  var count: Int { get }
  /// Calls `body` with the bytes, which do not change.
  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
}

internal import RPCCore

/// A request in the form in which a transport hands it over.
package struct SentBytes: ReceivedBytes {
  private let bytes: [UInt8]

  /// Makes a request of these bytes.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes.
  package var count: Int { bytes.count }

  /// Gives the bytes to `body`.
  package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    // The function of the array rethrows errors without their type, so the body's outcome is carried through as a
    // result.
    let result: Result<R, E> = bytes.withUnsafeBytes { buffer in
      do throws(E) { return .success(try body(buffer)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

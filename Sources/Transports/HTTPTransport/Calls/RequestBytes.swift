internal import RPCCore

/// The protobuf encoding of one message from the client.
struct RequestBytes: ReceivedBytes {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    // The function of the array rethrows errors without their type, so the body's outcome is carried through as a
    // result.
    let result: Result<R, E> = bytes.withUnsafeBytes { buffer in
      do throws(E) { return .success(try body(buffer)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

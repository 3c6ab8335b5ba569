internal import CGRPC

/// The reason for which a server could not start.
public struct GRPCServerError: Error, CustomStringConvertible {
  /// A text for people that says what failed and at which address: `127.0.0.1:50051: Address already in use`.
  public let description: String

  init(_ description: String) { self.description = description }

  /// Copies the text of an error of the C library and frees the original. Nil means that memory was too short for a
  /// text.
  init(taking message: UnsafeMutablePointer<CChar>?) {
    guard let message else {
      self.init("out of memory")
      return
    }
    self.init(String(cString: message))
    cgrpc_string_destroy(message)
  }
}

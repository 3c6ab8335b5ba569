internal import HTTPTypes
public import RPCCore

/// A file that the server answers to `GET`, the same for every client. Browsers keep it, and ask each time whether it
/// has changed.
public struct HTTPFile: Sendable {
  /// The path, for example `/main.js`.
  public let path: String
  /// What a client needs the right for.
  let permission: Permission
  private let contentType: String
  private let fields: [String: String]
  private let bytes: @Sendable () -> [UInt8]

  /// Makes a file.
  ///
  /// - Parameters:
  ///   - path: the path, for example `/main.js`.
  ///   - permission: what a client needs the right for.
  ///   - contentType: the `Content-Type`.
  ///   - fields: further fields of the answer, such as `Content-Security-Policy`.
  ///   - bytes: returns the bytes of the file, which are always the same.
  public init(
    _ path: String, _ permission: Permission, contentType: String, fields: [String: String] = [:],
    bytes: @escaping @Sendable () -> [UInt8]
  ) {
    self.path = path
    self.permission = permission
    self.contentType = contentType
    self.fields = fields
    self.bytes = bytes
  }

  /// The answer to a request: the file, or that the client has it already.
  func answer(to request: HTTPFields) -> (head: HTTPResponse, body: [UInt8]) {
    let bytes = bytes()
    let etag = Self.etag(of: bytes)
    var head = HTTPResponse(status: .ok)
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { head.headerFields[name] = value }
    }
    head.headerFields[.eTag] = etag
    head.headerFields[.cacheControl] = "no-cache"
    if request[.ifNoneMatch].map({ $0 == "*" || $0.contains(etag) }) == true {
      head.status = .notModified
      return (head, [])
    }
    head.headerFields[.contentType] = contentType
    return (head, bytes)
  }

  /// A name of the contents: their FNV-1a hash (<http://www.isthe.com/chongo/tech/comp/fnv/>) with 64 bits.
  private static func etag(of bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return "\"\(String(hash, radix: 16))\""
  }
}

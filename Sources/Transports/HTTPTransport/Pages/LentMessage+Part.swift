public import RPCCore

extension LentMessage {
  /// Makes a part of ``HTTPPageWriter/sendParts(from:)``.
  ///
  /// - Parameters:
  ///   - payload: a message whose payload is the content of the part. All viewers of this payload share its bytes.
  ///   - contentType: the type of the content.
  ///   - fields: further fields of the part. Their values must be printable ASCII.
  public convenience init(
    part payload: LentMessage, contentType: String, fields: KeyValuePairs<String, String>
  ) {
    let count = payload.payload.withUnsafeBytes(\.count)
    var lines = "Content-Type: \(contentType)\r\nContent-Length: \(count)\r\n"
    for (name, value) in fields { lines += "\(name): \(value)\r\n" }
    lines += "\r\n"
    self.init(header: Array(lines.utf8), sharingPayloadOf: payload)
  }
}

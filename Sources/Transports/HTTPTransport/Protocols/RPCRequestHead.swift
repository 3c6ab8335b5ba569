internal import HTTPTypes
internal import RPCCore

/// What the head of an HTTP request says about the call.
struct RPCRequestHead: Sendable {
  let method: MethodName
  let contentType: ContentType
  /// The time that the client gives the call. Nil when the client sets no limit.
  let timeout: Duration?
  /// Whether messages may be compressed with ``Gzip``: the whole body of a unary method of Connect, or the messages
  /// whose envelopes say so.
  let mayBeCompressed: Bool
  /// The fields of the request that do not belong to HTTP or to the protocol.
  let metadata: Metadata

  var wireProtocol: WireProtocol { contentType.wireProtocol }
  var format: WireFormat { contentType.format }

  /// Reads the head of a request.
  ///
  /// - Throws: ``ProtocolRefusal`` for a request that is not a call of any protocol, and ``RPCError``
  ///   `COMPRESSION_UNSUPPORTED` or `MALFORMED_TIMEOUT` for a call that the server cannot run. The server sends an
  ///   ``RPCError`` in the form of ``contentType(of:)``.
  init(_ request: HTTPRequest) throws {
    contentType = try Self.contentType(of: request)
    mayBeCompressed = try Self.isCompressed(request.headerFields, contentType.wireProtocol)
    timeout = try Self.timeout(request.headerFields, contentType.wireProtocol)
    let path = request.path ?? ""
    method = MethodName(path: String(path.prefix { $0 != "?" }))
    metadata = Metadata(request.headerFields)
  }

  /// Returns the content type of a request.
  ///
  /// - Throws: ``ProtocolRefusal`` for a request that is not a call of any protocol.
  static func contentType(of request: HTTPRequest) throws(ProtocolRefusal) -> ContentType {
    guard request.method == .post else {
      throw ProtocolRefusal(
        status: .methodNotAllowed, allow: "POST", message: "The server takes calls as POST, not as \(request.method).")
    }
    guard let contentType = ContentType(request.headerFields[.contentType] ?? "") else {
      throw ProtocolRefusal(
        status: .unsupportedMediaType,
        message: "The server takes calls of these content types: "
          + ContentType.all.map(\.text).joined(separator: ", ") + ".")
    }
    let version = request.headerFields[.connectProtocolVersion] ?? "1"
    guard version == "1" else {
      throw ProtocolRefusal(
        status: .badRequest, message: "The server speaks version 1 of Connect, not version \(version).")
    }
    return contentType
  }

  /// Checks that the client uses the content type for the right kind of method. Connect has one content type for
  /// methods with one request and one response, and another one for methods with a stream.
  ///
  /// - Throws: ``ProtocolRefusal`` that says which content type to use.
  func check(_ kind: MethodDescriptor.Kind) throws(ProtocolRefusal) {
    let right: ContentType
    switch (wireProtocol, kind) {
    case (.connectUnary, .unary), (.grpcWeb, _), (.grpcWebText, _): return
    case (.connectUnary, _): right = ContentType(.connectStream, format)
    case (.connectStream, .unary): right = ContentType(.connectUnary, format)
    case (.connectStream, _): return
    }
    let streams = kind == .unary ? "no stream" : "a stream"
    throw ProtocolRefusal(
      status: .unsupportedMediaType,
      message: "The method \(method) has \(streams); call it with the content type \(right.text).")
  }

  private static func isCompressed(_ fields: HTTPFields, _ wireProtocol: WireProtocol) throws(RPCError) -> Bool {
    let name: HTTPField.Name
    switch wireProtocol {
    case .connectUnary: name = .contentEncoding
    case .connectStream: name = .connectContentEncoding
    case .grpcWeb, .grpcWebText: name = .grpcEncoding
    }
    // The body of a stream must not be compressed as a whole, because its messages could not be told apart then.
    for each in Set([name, .contentEncoding]) {
      guard let encoding = fields[each], encoding.lowercased() != "identity" else { continue }
      guard each == name, encoding.lowercased() == Gzip.name else { throw .compressionUnsupported(encoding) }
      return true
    }
    return false
  }

  /// Whether the client takes a compressed answer of a unary method of Connect.
  static func takesCompressed(_ fields: HTTPFields) -> Bool {
    (fields[.acceptEncoding] ?? "").split(separator: ",").contains { entry in
      let parts = entry.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
      return parts.first == Gzip.name && !parts.dropFirst().contains { $0 == "q=0" || $0.hasPrefix("q=0.000") }
    }
  }

  private static func timeout(_ fields: HTTPFields, _ wireProtocol: WireProtocol) throws(RPCError) -> Duration? {
    let name: HTTPField.Name
    let parse: (String) -> Duration?
    switch wireProtocol {
    case .connectUnary, .connectStream: (name, parse) = (.connectTimeout, Duration.init(connectTimeout:))
    case .grpcWeb, .grpcWebText: (name, parse) = (.grpcTimeout, Duration.init(grpcTimeout:))
    }
    guard let text = fields[name] else { return nil }
    guard let timeout = parse(text) else {
      throw RPCError(
        .invalidArgument, "The value \"\(text)\" of \(name.canonicalName) is not a timeout.",
        reason: "MALFORMED_TIMEOUT", metadata: ["timeout": text])
    }
    return timeout
  }
}

/// The head of a response to a call.
struct ResponseHead: Sendable {
  /// The status and the fields.
  private(set) var response: HTTPResponse

  /// Makes the head of a stream or of a successful response. A stream has this head whether or not the call succeeds.
  ///
  /// - Parameters:
  ///   - contentType: the content type of the request, which the response has, too.
  ///   - trailingMetadata: the trailing metadata of a Connect method with one request and one response. All other
  ///     responses have their trailing metadata at the end of the body.
  init(_ contentType: ContentType, trailingMetadata: Metadata = Metadata()) {
    response = HTTPResponse(status: .ok, headerFields: [.contentType: contentType.text])
    switch contentType.wireProtocol {
    case .connectUnary: response.headerFields[.acceptEncoding] = Gzip.name
    case .connectStream: response.headerFields[.connectAcceptEncoding] = Gzip.name
    case .grpcWeb, .grpcWebText: response.headerFields[.grpcAcceptEncoding] = Gzip.name
    }
    append(trailingMetadata)
  }

  /// Makes the head of a failed response to a Connect method with one request and one response. The body is a
  /// ``ConnectError``, which is JSON whatever the content type of the request is.
  init(_ error: RPCError, trailingMetadata: Metadata) {
    self.init(ContentType(.connectUnary, .json), trailingMetadata: trailingMetadata)
    response.status = ConnectCode(error.code).status
  }

  private mutating func append(_ trailingMetadata: Metadata) {
    for field in trailingMetadata.fields {
      guard let name = HTTPField.Name("trailer-" + field.name) else { continue }
      response.headerFields.append(HTTPField(name: name, value: field.value))
    }
  }
}

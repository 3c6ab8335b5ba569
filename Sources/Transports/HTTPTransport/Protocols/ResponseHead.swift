internal import HTTPTypes
internal import RPCCore

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

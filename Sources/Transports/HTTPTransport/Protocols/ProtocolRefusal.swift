internal import HTTPTypes

/// The reason for which the server answers a request with an HTTP status only. The request is not a call of any
/// protocol, so the client cannot be expected to read an error of a protocol.
struct ProtocolRefusal: Error, Hashable {
  let status: HTTPResponse.Status
  /// The value of the response's `allow` field. Nil for a response without this field.
  var allow: String?
  /// A sentence for people that says what is wrong.
  let message: String
}

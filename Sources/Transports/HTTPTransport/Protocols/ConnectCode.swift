internal import HTTPTypes
internal import RPCCore

/// The form in which Connect sends the code of an error.
struct ConnectCode: Hashable, Sendable {
  /// The name of the code, for example `invalid_argument`.
  let name: String
  /// The HTTP status of a response to a method with one request and one response.
  let status: HTTPResponse.Status

  /// Makes the form of a code. Connect has no name for `OK`, which is never the code of an error, and so it becomes
  /// `unknown`.
  init(_ code: RPCError.Code) {
    (name, status) = Self.forms[code.rawValue]
  }

  /// The form of each code, in the order of the codes' numbers.
  private static let forms: [(String, HTTPResponse.Status)] = [
    ("unknown", .internalServerError),
    ("canceled", .init(code: 499, reasonPhrase: "Client Closed Request")),
    ("unknown", .internalServerError),
    ("invalid_argument", .badRequest),
    ("deadline_exceeded", .gatewayTimeout),
    ("not_found", .notFound),
    ("already_exists", .conflict),
    ("permission_denied", .forbidden),
    ("resource_exhausted", .tooManyRequests),
    ("failed_precondition", .badRequest),
    ("aborted", .conflict),
    ("out_of_range", .badRequest),
    ("unimplemented", .notImplemented),
    ("internal", .internalServerError),
    ("unavailable", .serviceUnavailable),
    ("data_loss", .internalServerError),
    ("unauthenticated", .unauthorized),
  ]
}

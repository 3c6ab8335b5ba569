internal import RPCCore
internal import SwiftProtobuf

/// An error in the form in which Connect sends it: as the body of a response to a method with one request and one
/// response, or as a part of a ``ConnectEndOfStream``.
struct ConnectError: Encodable {
  private let code: String
  private let message: String?
  private let details: [Detail]?

  /// One detail of the error. The client decodes `value`, and people read `debug`.
  private struct Detail: Encodable {
    let type: String
    let value: String
    let debug: JSONValue?

    /// Makes the form of a detail. Nil when the detail cannot be encoded.
    init?(_ message: some Message) {
      guard let bytes: [UInt8] = try? message.serializedBytes() else { return nil }
      type = Swift.type(of: message).protoMessageName
      value = bytes.unpaddedBase64
      debug = JSONValue(message)
    }
  }

  /// Makes the form of an error.
  init(_ error: RPCError) {
    let error = error.completed(domain: "")
    code = ConnectCode(error.code).name
    message = error.message.isEmpty ? nil : error.message
    details = error.details.isEmpty ? nil : error.details.compactMap { Detail($0) }
  }

  /// The body of a response.
  var json: [UInt8] { connectJSON(fallback: #"{"code":"internal"}"#) }
}

import HTTPTypes
import RPCCore
import Testing

@testable import HTTPTransport

/// Connect sends errors as JSON.
struct ConnectErrorTests {
  private func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }

  /// Each code has the name and the HTTP status of Connect's table.
  @Test(
    arguments: [
      (.cancelled, "canceled", 499), (.unknown, "unknown", 500), (.invalidArgument, "invalid_argument", 400),
      (.deadlineExceeded, "deadline_exceeded", 504), (.notFound, "not_found", 404),
      (.alreadyExists, "already_exists", 409), (.permissionDenied, "permission_denied", 403),
      (.resourceExhausted, "resource_exhausted", 429), (.failedPrecondition, "failed_precondition", 400),
      (.aborted, "aborted", 409), (.outOfRange, "out_of_range", 400), (.unimplemented, "unimplemented", 501),
      (.internal, "internal", 500), (.unavailable, "unavailable", 503), (.dataLoss, "data_loss", 500),
      (.unauthenticated, "unauthenticated", 401),
    ] as [(RPCError.Code, String, Int)])
  func codesHaveNamesAndStatuses(code: RPCError.Code, name: String, status: Int) {
    #expect(ConnectCode(code).name == name)
    #expect(ConnectCode(code).status.code == status)
  }

  /// The body has the code, the message and each detail. A detail has its encoding for programs and its JSON for
  /// people.
  @Test func bodyHasTheDetails() {
    let error = RPCError(
      .unavailable, "Say \"please\".\n", reason: "BUSY", domain: "d", metadata: ["k": "a/b"], retryDelay: .seconds(2))
    let info = #"{"domain":"d","metadata":{"k":"a/b"},"reason":"BUSY"}"#
    #expect(
      text(ConnectError(error).json) == #"{"code":"unavailable","details":["#
        + #"{"debug":\#(info),"type":"google.rpc.ErrorInfo","value":"CgRCVVNZEgFkGggKAWsSA2EvYg"},"#
        + #"{"debug":{"retryDelay":"2s"},"type":"google.rpc.RetryInfo","value":"CgIIAg"}],"#
        + #""message":"Say \"please\".\n"}"#)
  }

  /// An error without a message has no key for it.
  @Test func emptyMessageIsLeftOut() {
    #expect(!text(ConnectError(RPCError(.internal, "")).json).contains("message"))
  }

  /// The end of a stream that succeeded has no error, and no metadata when there is none.
  @Test func endOfASuccessfulStream() {
    #expect(text(ConnectEndOfStream(nil, metadata: Metadata()).json) == "{}")
    #expect(ConnectEndOfStream(nil, metadata: Metadata()).envelope == [2, 0, 0, 0, 2] + Array("{}".utf8))
    var metadata = Metadata()
    metadata.add("1", forKey: "y")
    metadata.add(binary: [1], forKey: "x-bin")
    metadata.add("2", forKey: "y")
    #expect(
      text(ConnectEndOfStream(nil, metadata: metadata).json) == #"{"metadata":{"x-bin":["AQ"],"y":["1","2"]}}"#)
  }

  /// The end of a stream that failed has the error.
  @Test func endOfAFailedStream() {
    let error = RPCError(.notFound, "No.")
    let end = text(ConnectEndOfStream(error, metadata: Metadata()).json)
    #expect(end == #"{"error":"# + text(ConnectError(error).json) + "}")
  }
}

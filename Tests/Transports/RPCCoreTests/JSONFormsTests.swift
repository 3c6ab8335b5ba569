import GoogleRPC
import RPCCore
import RPCTestKit
import SwiftProtobuf
import Testing

/// A route converts its requests from JSON and its responses to JSON, so that transports can serve clients without
/// protobuf.
struct JSONFormsTests {
  private typealias Request = Google_Rpc_ErrorInfo
  private typealias Response = Google_Rpc_Status

  private func forms() throws -> JSONForms {
    var router = RPCRouter(access: nil)
    router.unary(.test("Echo")) { (_: Request, _) in Response() }
    return try #require(router.route(for: .test("Echo"))).json
  }

  /// A request in JSON becomes the encoding of the same message.
  @Test func requestIsConverted() throws {
    let encoding = try forms().request(Array(#"{"reason": "R", "metadata": {"k": "v"}}"#.utf8))
    let expected = Request.with {
      $0.reason = "R"
      $0.metadata = ["k": "v"]
    }
    #expect(try Request(serializedBytes: encoding) == expected)
    #expect(try forms().request(Array("{}".utf8)).isEmpty)
  }

  /// The error of a text that is not the JSON of a request says what is wrong, such as the name of an unknown field.
  @Test(arguments: [
    ("", "ends too early"), ("{", "ends too early"), ("{} x", "something follows"), ("null", "null"),
    (#"{"raison": "R"}"#, "no field \"raison\""), (#"{"reason": 1}"#, "text"), ("hello", "not valid JSON"),
  ])
  func malformedRequestIsExplained(text: String, why: String) throws {
    let error = try #require(throws: RPCError.self) { try forms().request(Array(text.utf8)) }
    #expect(error.code == .invalidArgument)
    #expect(error.reason == "MALFORMED_REQUEST")
    #expect(error.message.contains("google.rpc.ErrorInfo"))
    #expect(error.message.contains(why), "\(error.message)")
    #expect(error.errorInfo?.metadata == ["method": "test.v1.Test/Echo", "message": "google.rpc.ErrorInfo"])
  }

  /// A response becomes JSON, with the details of an error that it contains.
  @Test func responseIsConverted() throws {
    let response = RPCError(.notFound, "No.", reason: "GONE", domain: "d").status(domain: "")
    let json = try forms().response(LentMessage(response))
    #expect(
      String(decoding: json, as: UTF8.self) == #"{"code":5,"message":"No.","details":["#
        + #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"GONE","domain":"d"}]}"#)
  }

  /// A response in two pieces is converted as a whole.
  @Test func responseInTwoPiecesIsConverted() throws {
    var router = RPCRouter(access: nil)
    router.unary(.test("Echo")) { (request: Text, _) in request }
    let whole = try LentMessage(Text("abc"))
    let payload = try LentMessage(Text("def"))
    // Protobuf merges the fields of two encodings in a row, and the later text wins.
    let message = LentMessage(header: whole.bytes, payload: payload.payload)
    let json = try #require(router.route(for: .test("Echo"))).json.response(message)
    #expect(String(decoding: json, as: UTF8.self) == #""def""#)
  }
}

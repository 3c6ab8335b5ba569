import HTTPTypes
import RPCCore
import Testing

@testable import HTTPTransport

/// The head of an HTTP request says which method the client calls, by which protocol, and how long the client waits.
struct RPCRequestHeadTests {
  /// Makes a request as a client sends it.
  private func request(
    _ contentType: String?, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .post
  ) -> HTTPRequest {
    var fields = fields
    fields[.contentType] = contentType
    return HTTPRequest(
      method: method, scheme: "http", authority: "a", path: "/test.v1.Test/Echo", headerFields: fields)
  }

  /// Returns the field with a name that the tests write as text.
  private func field(_ name: String, _ value: String) throws -> HTTPFields {
    [try #require(HTTPField.Name(name)): value]
  }

  /// Every content type leads to its protocol and its form of messages. Parameters and upper case change nothing.
  @Test(
    arguments: [
      ("application/json", .connectUnary, .json),
      ("application/json; charset=utf-8", .connectUnary, .json),
      ("Application/JSON;charset=utf-8", .connectUnary, .json),
      ("application/proto", .connectUnary, .proto),
      ("application/connect+json", .connectStream, .json),
      ("application/connect+proto", .connectStream, .proto),
      ("application/grpc-web", .grpcWeb, .proto),
      ("application/grpc-web+proto", .grpcWeb, .proto),
      ("application/grpc-web+json", .grpcWeb, .json),
      ("application/grpc-web-text", .grpcWebText, .proto),
      ("application/grpc-web-text+proto", .grpcWebText, .proto),
    ] as [(String, WireProtocol, WireFormat)])
  func contentTypeChoosesTheProtocol(text: String, wireProtocol: WireProtocol, format: WireFormat) throws {
    let head = try RPCRequestHead(request(text))
    #expect(head.method == MethodName(service: "test.v1.Test", method: "Echo"))
    #expect(head.wireProtocol == wireProtocol)
    #expect(head.format == format)
    #expect(head.timeout == nil)
    #expect(head.metadata.entries.isEmpty)
  }

  /// A request with another content type is no call. The answer lists the content types of calls.
  @Test(arguments: [nil, "", "text/plain", "application/jsonx", "application/grpc", "multipart/form-data"])
  func otherContentTypesAreRefused(text: String?) throws {
    let refusal = try #require(throws: ProtocolRefusal.self) { try RPCRequestHead(request(text)) }
    #expect(refusal.status == .unsupportedMediaType)
    #expect(refusal.message.contains("application/json"))
    #expect(refusal.message.contains("application/grpc-web+proto"))
  }

  /// A call is a POST request, even when the method has no side effects.
  @Test func getIsRefused() throws {
    let refusal = try #require(throws: ProtocolRefusal.self) {
      try RPCRequestHead(request("application/json", method: .get))
    }
    #expect(refusal.status == .methodNotAllowed)
    #expect(refusal.allow == "POST")
  }

  /// The server speaks version 1 of Connect, and a client need not say the version.
  @Test func connectHasVersionOne() throws {
    _ = try RPCRequestHead(request("application/json", field("connect-protocol-version", "1")))
    let refusal = try #require(throws: ProtocolRefusal.self) {
      try RPCRequestHead(request("application/json", field("connect-protocol-version", "2")))
    }
    #expect(refusal.status == .badRequest)
  }

  /// A client may compress its messages with gzip, and says so in the field of its protocol.
  @Test(arguments: [
    ("application/json", "content-encoding"), ("application/connect+json", "connect-content-encoding"),
    ("application/grpc-web", "grpc-encoding"), ("application/grpc-web-text", "grpc-encoding"),
  ])
  func messagesMayBeCompressedWithGzip(contentType: String, name: String) throws {
    #expect(try RPCRequestHead(request(contentType, field(name, "gzip"))).mayBeCompressed)
    #expect(try !RPCRequestHead(request(contentType, field(name, "identity"))).mayBeCompressed)
    #expect(try !RPCRequestHead(request(contentType)).mayBeCompressed)
  }

  /// A request in another format, or a stream that is compressed as a whole, gets an error of its protocol.
  @Test(arguments: [
    ("application/json", "content-encoding", "br"), ("application/connect+json", "connect-content-encoding", "zstd"),
    ("application/connect+json", "content-encoding", "gzip"), ("application/grpc-web", "content-encoding", "gzip"),
    ("application/grpc-web", "grpc-encoding", "snappy"),
  ])
  func otherCompressionIsNotSupported(contentType: String, name: String, format: String) throws {
    let error = try #require(throws: RPCError.self) { try RPCRequestHead(request(contentType, field(name, format))) }
    #expect(error.code == .unimplemented)
    #expect(error.reason == "COMPRESSION_UNSUPPORTED")
    #expect(error.message.contains("gzip and identity"))
  }

  @Test(arguments: [
    ("gzip", true), ("br, gzip;q=0.5", true), ("deflate, GZIP", true), ("gzip; q=0", false), ("", false),
    ("br, zstd", false),
  ])
  func aClientSaysWhetherItTakesCompressedAnswers(value: String, takes: Bool) {
    #expect(RPCRequestHead.takesCompressed([.acceptEncoding: value]) == takes)
  }

  /// Connect counts a timeout in milliseconds. gRPC-Web has a unit in each timeout.
  @Test(arguments: [
    ("application/json", "connect-timeout-ms", "1500", Duration.milliseconds(1500)),
    ("application/connect+json", "connect-timeout-ms", "9999999999", .milliseconds(9_999_999_999)),
    ("application/json", "grpc-timeout", "no timeout", nil),
    ("application/grpc-web", "connect-timeout-ms", "no timeout", nil),
    ("application/grpc-web", "grpc-timeout", "99999999H", .seconds(99_999_999 * 3600)),
    ("application/grpc-web", "grpc-timeout", "2M", .seconds(120)),
    ("application/grpc-web", "grpc-timeout", "3S", .seconds(3)),
    ("application/grpc-web", "grpc-timeout", "4m", .milliseconds(4)),
    ("application/grpc-web", "grpc-timeout", "5u", .microseconds(5)),
    ("application/grpc-web-text", "grpc-timeout", "6n", .nanoseconds(6)),
  ])
  func timeoutIsRead(contentType: String, name: String, value: String, timeout: Duration?) throws {
    #expect(try RPCRequestHead(request(contentType, field(name, value))).timeout == timeout)
  }

  /// A timeout that does not follow the rules of its protocol makes the call invalid.
  @Test(arguments: [
    ("application/json", "connect-timeout-ms", ""), ("application/json", "connect-timeout-ms", "12345678901"),
    ("application/json", "connect-timeout-ms", "-1"), ("application/json", "connect-timeout-ms", "1S"),
    ("application/json", "connect-timeout-ms", "+1"), ("application/grpc-web", "grpc-timeout", ""),
    ("application/grpc-web", "grpc-timeout", "S"), ("application/grpc-web", "grpc-timeout", "5"),
    ("application/grpc-web", "grpc-timeout", "123456789S"), ("application/grpc-web", "grpc-timeout", "1s"),
  ])
  func malformedTimeoutFailsTheCall(contentType: String, name: String, value: String) throws {
    let error = try #require(throws: RPCError.self) { try RPCRequestHead(request(contentType, field(name, value))) }
    #expect(error.code == .invalidArgument)
    #expect(error.reason == "MALFORMED_TIMEOUT")
  }

  /// The path may have a query, which is not a part of the method's name.
  @Test func queryIsNoPartOfTheMethod() throws {
    var request = request("application/json")
    request.path = "/test.v1.Test/Echo?a=/b"
    #expect(try RPCRequestHead(request).method.path == "/test.v1.Test/Echo")
    request.path = nil
    #expect(try RPCRequestHead(request).method.service == "")
  }

  /// Connect has one content type for methods without a stream and another one for methods with a stream. The answer to
  /// a request with the wrong one names the right one.
  @Test(
    arguments: [
      ("application/json", .serverStreaming, "application/connect+json"),
      ("application/proto", .clientStreaming, "application/connect+proto"),
      ("application/connect+json", .unary, "application/json"),
      ("application/json", .unary, nil),
      ("application/connect+proto", .bidirectional, nil),
      ("application/grpc-web", .unary, nil),
      ("application/grpc-web-text", .serverStreaming, nil),
    ] as [(String, MethodDescriptor.Kind, String?)])
  func contentTypeFitsTheKindOfMethod(contentType: String, kind: MethodDescriptor.Kind, right: String?) throws {
    let head = try RPCRequestHead(request(contentType))
    guard let right else { return try head.check(kind) }
    let refusal = try #require(throws: ProtocolRefusal.self) { try head.check(kind) }
    #expect(refusal.status == .unsupportedMediaType)
    #expect(refusal.message.hasSuffix(" \(right)."))
  }
}

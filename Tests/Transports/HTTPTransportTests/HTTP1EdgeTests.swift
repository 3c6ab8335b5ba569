import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import HTTPTransport

/// How answers end, and what the target of a request names.
struct HTTP1EdgeTests {
  private let channel = EmbeddedChannel()

  private func begin(
    _ version: HTTPVersion, uri: String = "/", keepsConnection: Bool = true, answer: HTTPHeaders
  ) throws -> HTTPResponseHead? {
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.pipeline.syncOperations.addHandler(HTTP1Edge(keepsConnection: keepsConnection))
    try channel.writeInbound(HTTPServerRequestPart.head(.init(version: version, method: .GET, uri: uri)))
    try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: answer)))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    guard case .head(let head) = try channel.readOutbound(as: HTTPServerResponsePart.self) else { return nil }
    return head
  }

  @Test func anAnswerKeepsTheConnection() throws {
    let head = try begin(.http1_1, answer: ["content-length": "3"])
    #expect(head?.version == .http1_1 && head?.headers["connection"] == [])
    #expect(channel.isActive)
  }

  @Test func aStreamIsSentInChunks() throws {
    #expect(try begin(.http1_1, answer: [:])?.version == .http1_1)
    #expect(channel.isActive)
  }

  @Test(arguments: [HTTPHeaders([("content-length", "3")]), HTTPHeaders()])
  func anAnswerToAnOldClientEndsTheConnection(answer: HTTPHeaders) throws {
    let head = try begin(.http1_0, answer: answer)
    #expect(head?.version == .http1_0 && head?.headers["connection"] == ["close"])
    #expect(!channel.isActive)
  }

  @Test func aStreamThatSaysSoEndsTheConnection() throws {
    #expect(try begin(.http1_1, answer: ["connection": "close"])?.version == .http1_0)
    #expect(!channel.isActive)
  }

  @Test func aServerMayAnswerOneRequestPerConnection() throws {
    let head = try begin(.http1_1, keepsConnection: false, answer: ["content-length": "3"])
    #expect(head?.version == .http1_1 && head?.headers["connection"] == ["close"])
    #expect(!channel.isActive)
  }

  /// What the types for HTTP make of the target of a request that has passed the edge.
  private func path(of target: String) throws -> String? {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandlers(HTTP1Edge(keepsConnection: true), HTTP1ToHTTPServerCodec(secure: false))
    try channel.writeInbound(HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: target)))
    guard case .head(let head)? = try channel.readInbound(as: HTTPRequestPart.self) else { throw Unexpected() }
    return head.path
  }

  private struct Unexpected: Error {}

  /// The name by which a request without one calls the server, behind the edge.
  private func name(_ version: HTTPVersion, headers: HTTPHeaders = [:]) throws -> [String] {
    try channel.pipeline.syncOperations.addHandler(HTTP1Edge(keepsConnection: true))
    try channel.writeInbound(
      HTTPServerRequestPart.head(.init(version: version, method: .GET, uri: "/", headers: headers)))
    guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self) else { throw Unexpected() }
    return head.headers["host"]
  }

  @Test func anOldClientNeedNotNameTheServer() throws { #expect(try name(.http1_0) == ["localhost"]) }

  @Test func anOldClientMayNameTheServer() throws {
    #expect(try name(.http1_0, headers: ["host": "a"]) == ["a"])
  }

  @Test func aNewClientMustNameTheServer() throws { #expect(try name(.http1_1) == []) }

  @Test(arguments: [("/a?b=c://d", "/a?b=c://d"), ("http://camera/a", "/a"), ("HTTPS://camera/a?b", "/a?b")])
  func aTargetNamesItsPath(target: String, path: String) throws {
    #expect(try self.path(of: target) == path)
  }

  /// Without the edge, the target would name the page `/a`.
  @Test(arguments: ["ftp://camera/a", "FTP://camera/a", "data://camera/a"])
  func aTargetOfAnotherSchemeNamesNoPage(target: String) throws {
    #expect(try path(of: target) == "/\(target)")
  }
}

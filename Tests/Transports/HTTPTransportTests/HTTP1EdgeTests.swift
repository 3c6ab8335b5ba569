import NIOCore
import NIOEmbedded
import NIOHTTP1
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

  @Test(arguments: [
    ("/a?b=c://d", "/a?b=c://d"), ("http://camera/a", "http://camera/a"), ("ftp://camera/a", "/ftp://camera/a"),
  ])
  func aTargetOfAnotherSchemeNamesNothing(target: String, path: String) throws {
    _ = try begin(.http1_1, uri: target, answer: [:])
    guard case .head(let head) = try channel.readInbound(as: HTTPServerRequestPart.self) else { return }
    #expect(head.uri == path)
  }
}

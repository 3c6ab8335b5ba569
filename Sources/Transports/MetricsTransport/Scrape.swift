internal import NIOCore
internal import NIOHTTP1

/// A request that waits for its answer, with the TCP connection on which it came.
struct Scrape: Sendable {
  let request: HTTPRequestHead
  let channel: any Channel

  /// Answers the request and then closes the connection. Returns without waiting for the writes, and ignores their
  /// errors: when the client is gone, the server has nothing left to do for it.
  func answer(_ page: @Sendable () async -> String) async {
    let (head, body) = await response(page)
    channel.write(HTTPServerResponsePart.head(head), promise: nil)
    if request.method != .HEAD {
      channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil)
    }
    channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
  }

  /// The path of the request, without the query. A client may send the whole address instead of the path, as proxies
  /// do, and a server must accept both (RFC 9112, 3.2.2).
  private var path: Substring {
    let target = request.uri.prefix { $0 != "?" }
    let scheme = "http://"
    guard target.prefix(scheme.count).lowercased() == scheme else { return target }
    return target.dropFirst(scheme.count).drop { $0 != "/" }
  }

  private func response(_ page: @Sendable () async -> String) async -> (HTTPResponseHead, body: String) {
    var head = HTTPResponseHead(
      version: .http1_1, status: .ok, headers: ["Connection": "close", "Content-Type": "text/plain; charset=utf-8"])
    let body: String
    switch (path, request.method) {
    case (MetricsServer.path, .GET), (MetricsServer.path, .HEAD):
      head.headers.replaceOrAdd(name: "Content-Type", value: MetricsText.contentType)
      body = await page()
    case (MetricsServer.path, _):
      head.headers.add(name: "Allow", value: "GET, HEAD")
      (head.status, body) = (.methodNotAllowed, "Ask with GET.\n")
    default: (head.status, body) = (.notFound, "There is only \(MetricsServer.path).\n")
    }
    head.headers.add(name: "Content-Length", value: "\(body.utf8.count)")
    return (head, body)
  }
}

/// Passes the first request of a connection on to ``MetricsServer/run(_:)``, and then stops reading from the
/// connection.
final class ScrapeHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let asked: AsyncStream<Scrape>.Continuation
  private var hasAsked = false

  init(asked: AsyncStream<Scrape>.Continuation) { self.asked = asked }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasAsked, case .head(let request) = unwrapInboundIn(data) else { return }
    hasAsked = true
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    asked.yield(Scrape(request: request, channel: context.channel))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

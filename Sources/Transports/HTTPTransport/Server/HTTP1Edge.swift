internal import NIOCore
internal import NIOHTTP1

/// Does what needs the parts of HTTP/1 that Swift's types for HTTP leave out: the version, and the scheme of a target.
///
/// A client of HTTP/1.0 need not name the server (RFC 9112, 3.2). It is no browser, which a page could make call the
/// server by another name, so that a request without a name counts as one to this machine.
///
/// Ends answers by the end of the connection for clients of HTTP/1.0, which know no chunks, for answers of unknown
/// length that say `Connection: close`, and for servers that answer one request per connection. Answers of unknown
/// length go out as HTTP/1.0 then, because NIO's encoder sends every body of HTTP/1.1 without a length in chunks.
final class HTTP1Edge: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private static let close = "close"
  private let keepsConnection: Bool
  private var isOldClient = false
  private var closesAfterAnswer = false

  /// - Parameter keepsConnection: whether the connection may bring further requests after the first one.
  init(keepsConnection: Bool) { self.keepsConnection = keepsConnection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    if head.version != .http1_1 {
      isOldClient = true
      if !head.headers.contains(name: "host") { head.headers.add(name: "host", value: "localhost") }
    }
    // A proxy sends a whole address. The types for HTTP keep only its path, whatever the scheme is.
    if let scheme = head.uri.firstRange(of: "://").map({ head.uri[..<$0.lowerBound].lowercased() }),
      !scheme.contains("/"), !["http", "https"].contains(scheme)
    {
      head.uri = "/\(head.uri)"
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      let hasLength = head.headers.contains(name: "content-length")
      let saysClose = head.headers["connection"] == [Self.close]
      closesAfterAnswer = isOldClient || !keepsConnection || saysClose && !hasLength
      guard closesAfterAnswer else { return context.write(data, promise: promise) }
      if !hasLength || isOldClient { head.version = .http1_0 }
      head.headers.replaceOrAdd(name: "connection", value: Self.close)
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end where closesAfterAnswer:
      let promise = promise ?? context.eventLoop.makePromise()
      let context = NIOLoopBound(context, eventLoop: context.eventLoop)
      promise.futureResult.whenComplete { _ in context.value.close(promise: nil) }
      context.value.write(data, promise: promise)
    case .body, .end: context.write(data, promise: promise)
    }
  }
}

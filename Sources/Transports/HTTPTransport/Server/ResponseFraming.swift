internal import NIOCore
internal import NIOHTTP1

/// Ends answers without a length by the end of the connection where chunks are not wanted: for clients of HTTP/1.0,
/// which know no chunks, and for answers that say `Connection: close`.
///
/// Such an answer goes out as HTTP/1.0, because NIO's encoder sends every body of HTTP/1.1 without a length in chunks.
final class ResponseFraming: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private static let close = "close"
  private var isOldClient = false
  private var closesAfterAnswer = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data), head.version != .http1_1 { isOldClient = true }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      let hasLength = head.headers.contains(name: "content-length")
      closesAfterAnswer = isOldClient || !hasLength && head.headers["connection"] == [Self.close]
      guard closesAfterAnswer else { return context.write(data, promise: promise) }
      head.version = .http1_0
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

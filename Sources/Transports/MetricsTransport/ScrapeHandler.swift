internal import NIOCore
internal import NIOHTTP1

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

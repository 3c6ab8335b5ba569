internal import NIOCore

/// Writes bytes of a body directly to the socket. It is the handler nearest to the socket, and passes everything on.
///
/// Each handler on the way from `channel.write` wraps each buffer anew, which takes longer than the kernel takes for a
/// small picture. A body that ends with the connection needs none of them.
final class RawBytes: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// Writes the buffers and flushes them. The promise is that of the last one.
  func write(_ buffers: [ByteBuffer], promise: EventLoopPromise<Void>) {
    guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
    for buffer in buffers.dropLast() { context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(buffers[buffers.count - 1])), promise: promise)
  }
}

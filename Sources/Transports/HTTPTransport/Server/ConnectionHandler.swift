internal import Glibc
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import RPCCore

/// Watches the requests and the responses of one connection for ``HTTPConnections``, limits the time of a request, sets
/// the options of the socket, and adds ``HTTP1Edge`` and ``RawBytes``.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart

  /// The size of the kernel's send buffer and the part of it that may wait for the network, in bytes. Pictures that
  /// wait in the kernel are old when the client gets them, so few may wait.
  private static let (sendBytes, unsentBytes) = (128 << 10, 64 << 10)

  /// The time for which the client may take nothing.
  private static let silenceMilliseconds = 120_000

  private let connections: HTTPConnections
  private let configuration: HTTPServerConfiguration
  private var requests = 0
  /// Closes the connection when a request does not come whole.
  private var deadline: Scheduled<Void>?
  /// Closes the connection in any case.
  private var end: Scheduled<Void>?

  init(connections: HTTPConnections, configuration: HTTPServerConfiguration) {
    self.connections = connections
    self.configuration = configuration
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    connections.admit(channel)
    channel.closeFuture.whenComplete { [connections] _ in connections.remove(channel) }
    let pipeline = context.pipeline.syncOperations
    try? pipeline.addHandler(RawBytes(), position: .first)
    if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
      let edge = HTTP1Edge(keepsConnection: configuration.keepsConnections)
      try? pipeline.addHandler(edge, position: .before(codec))
    }
    end = configuration.maximumConnectionTime.map { time in
      context.eventLoop.scheduleTask(in: .init(time)) { channel.close(promise: nil) }
    }
    let options = channel.syncOptions
    // NIO parses all bytes of a read before it stops reading, so a read is small: the requests in it take more memory
    // than their bytes.
    try? options?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8 << 10))
    try? options?.setOption(.maxMessagesPerRead, value: 1)
    // Nothing that sends an answer asks whether the channel is writable, because a connection has at most one message
    // under way and its writer waits until the kernel has it. Most pictures are larger than NIO's default of 64 KiB, so
    // NIO would tell every handler twice for each of them.
    try? options?.setOption(.writeBufferWaterMark, value: .init(low: .max - 1, high: .max))
    // Browsers, curl and players close their half of a connection when they go. The server then closes the connection.
    // Otherwise it would notice only when it next writes.
    try? options?.setOption(.allowRemoteHalfClosure, value: false)
    try? options?.setOption(.socketOption(.so_sndbuf), value: SocketOptionValue(Self.sendBytes))
    try? options?.setOption(
      .tcpOption(.init(rawValue: CInt(TCP_NOTSENT_LOWAT))), value: SocketOptionValue(Self.unsentBytes))
    try? options?.setOption(.tcpOption(.tcp_nodelay), value: 1)
    // The kernel closes a connection whose client is gone or takes nothing for this time. Otherwise the stream of such
    // a client would stay for ever.
    try? options?.setOption(.socketOption(.so_keepalive), value: 1)
    try? options?.setOption(.tcpOption(.init(rawValue: CInt(TCP_KEEPIDLE))), value: 10)
    try? options?.setOption(.tcpOption(.init(rawValue: CInt(TCP_KEEPINTVL))), value: 10)
    try? options?.setOption(
      .tcpOption(.init(rawValue: CInt(TCP_USER_TIMEOUT))), value: SocketOptionValue(Self.silenceMilliseconds))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      requests += 1
      connections.set(context.channel, isBusy: true)
      deadline?.cancel()
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: .init(configuration.idleTime)) { channel.close(promise: nil) }
    case .body: break
    case .end:
      deadline?.cancel()
      deadline = nil
    }
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    end?.cancel()
    context.fireChannelInactive()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      requests -= 1
      connections.set(context.channel, isBusy: requests > 0)
    }
    context.write(data, promise: promise)
  }
}

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

extension Channel {
  /// Who sends a request with these header fields.
  func principal(_ fields: HTTPFields) -> Principal {
    Principal(at: peer) { name in HTTPField.Name(name).map { fields.contains($0) } ?? false }
  }

  /// The client's address in the form of `CallContext.peer`.
  var peer: String {
    guard let address = remoteAddress, let ip = address.ipAddress, let port = address.port else { return "" }
    return ip.contains(":") ? "ipv6:%5B\(ip)%5D:\(port)" : "ipv4:\(ip):\(port)"
  }
}

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import RPCCore
internal import SystemClocks

/// Runs the RPCs of the HTTP server.
final class RPCResponder: Sendable {
  private let router: RPCRouter
  private let executor: CallExecutor
  private let configuration: HTTPServerConfiguration
  private let connections: HTTPConnections

  init(
    configuration: HTTPServerConfiguration, connections: HTTPConnections, router: RPCRouter, executor: CallExecutor
  ) {
    self.configuration = configuration
    self.connections = connections
    self.router = router
    self.executor = executor
  }

  /// Whether a path belongs to a service that the router has.
  func isRPC(_ path: String) -> Bool { router.services.contains(MethodName(path: path).service) }

  /// Runs the call of a request to its end, or refuses the request.
  func respond(to request: Request, _ writer: HTTPResponseWriter) async {
    let arrival = MonotonicInstant.now()
    let contentType: ContentType
    do throws(ProtocolRefusal) {
      contentType = try RPCRequestHead.contentType(of: request.head)
    } catch {
      return writer.refuse(error.status, error.message, allow: error.allow)
    }
    let route = router.route(for: MethodName(path: String((request.head.path ?? "").prefix { $0 != "?" })))
    let output: any CallOutput =
      contentType.wireProtocol == .connectUnary
      ? UnaryOutput(
        writer, contentType, route?.json, takesCompressed: RPCRequestHead.takesCompressed(request.headers))
      : StreamOutput(writer, contentType, route?.json)
    do {
      let head = try RPCRequestHead(request.head)
      if let route { try check(route, head) }
      await run(request, head, route, output, arrival, writer)
    } catch let refusal as ProtocolRefusal {
      writer.refuse(refusal.status, refusal.message, allow: refusal.allow)
    } catch {
      let failure = error as? RPCError ?? RPCError(.internal, "The call could not begin.")
      output.finish(.error(failure.completed(domain: configuration.errorDomain)), Metadata())
      await output.waitForEnd()
      // The body was not read.
      writer.abort()
    }
  }

  private func check(_ route: RPCRouter.Route, _ head: RPCRequestHead) throws(ProtocolRefusal) {
    try head.check(route.method.kind)
    guard route.method.kind != .bidirectional else {
      throw ProtocolRefusal(
        status: .httpVersionNotSupported,
        message: "\(head.method) streams both ways, which HTTP/1.1 cannot. Call it by gRPC.")
    }
  }

  private func run(
    _ request: Request, _ head: RPCRequestHead, _ route: RPCRouter.Route?, _ output: any CallOutput,
    _ arrival: MonotonicInstant, _ writer: HTTPResponseWriter
  ) async {
    let small = min(configuration.maximumSmallRequestBytes, configuration.maximumRequestBytes)
    let limit = route?.requests == .large ? configuration.maximumRequestBytes : small
    let call = HTTPCall(
      context: CallContext(
        method: head.method, peer: writer.channel.peer, principal: writer.channel.principal(request.headers),
        metadata: head.metadata, deadline: head.timeout.flatMap { arrival.advanced(by: $0) }, arrival: arrival),
      maximumRequestBytes: limit, output: output)
    connections.onClose(of: writer.channel) { call.cancel() }
    let messages = RequestMessages(
      request.body, head: head, limit: limit, isStream: route?.method.kind == .clientStreaming, json: route?.json)
    writer.acknowledge(request.headers)
    await withDiscardingTaskGroup { group in
      group.addTask { await messages.feed(call) }
      if let timeout = head.timeout {
        group.addTask {
          if (try? await Task.sleep(for: timeout)) != nil { call.cancel() }
        }
      }
      await executor.run(call)
      group.cancelAll()
    }
    connections.onClose(of: writer.channel, nil)
    await output.waitForEnd()
    // The connection cannot take another request while a part of this one is on its way.
    if !messages.isComplete { writer.abort() }
  }
}

extension MonotonicInstant {
  /// The instant a time later. Nil when it is more than a century later, as some clients ask for no limit by a large
  /// number.
  fileprivate func advanced(by time: Duration) -> MonotonicInstant? {
    let (seconds, attoseconds) = time.components
    guard seconds < 100 * 366 * 86_400 else { return nil }
    return MonotonicInstant(
      nanoseconds: nanoseconds + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
  }
}

internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import RPCCore

/// Answers the requests of all connections: checks who asks, and finds the page, the file or the RPC.
struct HTTPResponder: Sendable {
  let rules: HostRules
  let pages: [HTTPPage]
  /// The files by their paths.
  let files: [String: HTTPFile]
  let access: any AccessCheck
  let errorMapper: @Sendable (any Error) -> RPCError?
  let calls: RPCResponder?
  let connections: HTTPConnections
  let logger: Logger

  /// Answers one request. Returns when the kernel has the whole answer, or when the connection is closed.
  func respond(to request: Request, on channel: any Channel) async {
    let writer: HTTPResponseWriter
    let target = request.head.path ?? ""
    let path = HTTPPageRequest.path(of: target)
    let page = pages.first { $0.answers(path, of: target) }
    do throws(HostRules.Refusal) {
      let origin = try rules.check(
        request.head, isOpenToLinks: page?.isOpenToLinks ?? (files[path] != nil),
        byAnyName: page?.answersAnyName ?? false)
      var asked = page.map {
        HTTPPageRequest(
          target: target, isHead: request.method == .head, fields: request.headers, reading: $0.parameters)
      }
      if page?.answersAnyName ?? false { asked?.namesServer = rules.namesServer(request.head) }
      writer = HTTPResponseWriter(
        channel: channel, isHead: request.method == .head, origin: origin,
        ignoredParameters: asked?.ignoredParameters ?? [])
      if origin != nil, request.method == .options {
        writer.allow(request.headers)
      } else if page == nil, files[path] == nil, let calls, calls.isRPC(path) {
        await calls.respond(to: request, writer)
      } else if request.method != .get, request.method != .head, page != nil || files[path] != nil {
        writer.refuse(.methodNotAllowed, "\(path) answers GET only.", allow: "GET, HEAD")
      } else if let page, let asked {
        await show(page, asked, request.headers, writer)
      } else if let file = files[path] {
        await send(file, request.headers, writer)
      } else {
        writer.refuse(.notFound, "There is nothing at \(path).")
      }
    } catch {
      writer = HTTPResponseWriter(channel: channel, isHead: request.method == .head)
      writer.refuse(error.status, error.message)
    }
    await writer.waitForEnd()
  }

  /// Sends a file to a client that may have it.
  private func send(_ file: HTTPFile, _ fields: HTTPFields, _ writer: HTTPResponseWriter) async {
    do {
      try await access.check(writer.channel.principal(fields), file.permission, on: nil)
      let answer = file.answer(to: fields)
      writer.send(answer.head, answer.body)
    } catch { refuse(error, file.path, writer) }
  }

  /// Answers with the error of an access check.
  private func refuse(_ error: any Error, _ path: String, _ writer: HTTPResponseWriter) {
    let known = errorMapper(error) ?? error as? RPCError
    if known == nil, !(error is CancellationError) {
      logger.error(
        "An access check failed with an unexpected error.",
        metadata: ["url.path": "\(path)", "error.message": "\(RPCError.sentence(about: error))"])
    }
    let answer = HTTPAnswer(known ?? RPCError(.internal, "The answer cannot be made.", reason: "INTERNAL"))
    writer.send(answer.head, answer.body)
  }

  /// Runs a page for a client that may open it, and cancels the page when the client is gone.
  private func show(
    _ page: HTTPPage, _ asked: HTTPPageRequest, _ fields: HTTPFields, _ writer: HTTPResponseWriter
  ) async {
    let response = Task {
      do {
        try await access.check(writer.channel.principal(fields), page.rule.permission, on: page.rule.resource(asked))
      } catch { return refuse(error, asked.path, writer) }
      await page.respond(asked, HTTPPageWriter(writer: writer))
    }
    connections.onClose(of: writer.channel) { response.cancel() }
    await withTaskCancellationHandler {
      await response.value
    } onCancel: {
      response.cancel()
    }
    connections.onClose(of: writer.channel, nil)
  }
}

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import RPCCore

/// Answers the requests of all connections: checks who asks, and finds the page or the RPC.
struct HTTPResponder: Sendable {
  let rules: HostRules
  let pages: [HTTPPage]
  /// The files by their paths.
  let files: [String: HTTPFile]
  let calls: RPCResponder?
  let connections: HTTPConnections

  /// Answers one request. Returns when the kernel has the whole answer, or when the connection is closed.
  func respond(to request: Request, on channel: any Channel) async {
    let writer: HTTPResponseWriter
    let path = String((request.head.path ?? "").prefix { $0 != "?" })
    let page = pages.first { $0.answers(path) }
    do throws(HostRules.Refusal) {
      let origin = try rules.check(request.head, isOpenToLinks: page?.isOpenToLinks ?? (files[path] != nil))
      writer = HTTPResponseWriter(channel: channel, isHead: request.method == .head, origin: origin)
      if origin != nil, request.method == .options {
        writer.allow(request.headers)
      } else {
        await answer(request, path, page, writer)
      }
    } catch {
      writer = HTTPResponseWriter(channel: channel, isHead: request.method == .head)
      writer.refuse(error.status, error.message)
    }
    await writer.waitForEnd()
  }

  private func answer(
    _ request: Request, _ path: String, _ page: HTTPPage?, _ writer: HTTPResponseWriter
  ) async {
    if let page {
      guard request.method == .get || request.method == .head else {
        return writer.refuse(.methodNotAllowed, "\(path) answers GET only.", allow: "GET, HEAD")
      }
      await show(page, request, writer)
    } else if let file = files[path] {
      guard request.method == .get || request.method == .head else {
        return writer.refuse(.methodNotAllowed, "\(path) answers GET only.", allow: "GET, HEAD")
      }
      let answer = file.answer(to: request.headers)
      writer.send(answer.head, answer.body)
    } else if let calls, calls.isRPC(path) {
      await calls.respond(to: request, writer)
    } else {
      writer.refuse(.notFound, "There is nothing at \(path).")
    }
  }

  /// Runs a page, and cancels it when the client is gone.
  private func show(_ page: HTTPPage, _ request: Request, _ writer: HTTPResponseWriter) async {
    let asked = HTTPPageRequest(
      target: request.head.path ?? "", isHead: request.method == .head, fields: request.headers)
    let response = Task { await page.respond(asked, HTTPPageWriter(writer: writer)) }
    connections.onClose(of: writer.channel) { response.cancel() }
    await withTaskCancellationHandler {
      await response.value
    } onCancel: {
      response.cancel()
    }
    connections.onClose(of: writer.channel, nil)
  }
}

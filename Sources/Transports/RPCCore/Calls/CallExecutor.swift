internal import Locking
package import Logging
internal import SystemClocks

/// Runs one call: finds the handler of the method, calls the handler inside the interceptors, and turns the outcome
/// into a status.
package struct CallExecutor: Sendable {
  private let router: RPCRouter
  private let interceptors: [any ServerInterceptor]
  private let errorMapper: @Sendable (any Error) -> RPCError?
  private let errorDomain: String
  private let logger: Logger

  /// Makes an executor that serves every method of a router.
  ///
  /// - Parameters:
  ///   - interceptors: the code that runs around every handler. The first interceptor is the outermost one.
  ///   - errorMapper: returns the error that the client gets for an error that a handler threw. The executor does not
  ///     ask it about ``RPCError`` and `CancellationError`. When it returns nil, the client gets `INTERNAL` without
  ///     details.
  ///   - errorDomain: the `ErrorInfo.domain` of every error that has no domain of its own.
  ///   - logger: logs the errors that `errorMapper` does not know.
  package init(
    router: RPCRouter, interceptors: [any ServerInterceptor],
    errorMapper: @escaping @Sendable (any Error) -> RPCError?, errorDomain: String, logger: Logger
  ) {
    self.router = router
    self.interceptors = interceptors
    self.errorMapper = errorMapper
    self.errorDomain = errorDomain
    self.logger = logger
  }

  /// Runs the call to its end. Returns after the handler has returned and the transport has received the status. When
  /// the call is cancelled, the executor cancels the handler's task and waits for the handler.
  package func run(_ call: any IncomingCall) async {
    await withTaskGroup { group in
      group.addTask {
        await execute(call)
        call.handled()
      }
      group.addTask { await call.waitForCancellation() }
      await group.next()
      // When the call was cancelled, the handler still runs and `cancelAll` cancels it. When the handler has returned,
      // `handled` has already ended the other task, and `cancelAll` has no effect.
      group.cancelAll()
    }
  }

  private func execute(_ call: any IncomingCall) async {
    let response = Locked<LentMessage?>(nil)
    let status: CallStatus
    do {
      try await intercept(call.context, interceptors[...]) { context in
        do {
          let message = try await handle(call, context)
          response.withLock { $0 = message }
        } catch {
          throw rpcError(for: error, call)
        }
      }
      status = .ok(response.withLock { $0 })
    } catch {
      status = .error(rpcError(for: error, call))
    }
    call.finish(status, trailingMetadata: call.context.trailingMetadata.value)
  }

  private func intercept(
    _ context: CallContext, _ rest: ArraySlice<any ServerInterceptor>,
    _ handler: @Sendable (CallContext) async throws -> Void
  ) async throws {
    guard let first = rest.first else { return try await handler(context) }
    try await first.intercept(context) { try await intercept($0, rest.dropFirst(), handler) }
  }

  private func handle(_ call: any IncomingCall, _ context: CallContext) async throws -> LentMessage? {
    guard let route = router.route(for: call.context.method) else {
      throw RPCError(
        .unimplemented, "There is no method \(context.method).", reason: "METHOD_NOT_FOUND",
        metadata: ["method": context.method.description])
    }
    return try await route.handler(call, context)
  }

  private func rpcError(for error: any Error, _ call: any IncomingCall) -> RPCError {
    let mapped: RPCError
    if let error = error as? RPCError {
      mapped = error
    } else if error is CancellationError {
      mapped = cancellationError(call)
    } else if let error = errorMapper(error) {
      mapped = error
    } else {
      // Only the log gets the text of the error, because the text may reveal internals of the daemon to the client.
      logger.error(
        "A handler failed with an unexpected error.",
        metadata: ["rpc.method": "\(call.context.method)", "error.message": "\(RPCError.sentence(about: error))"])
      mapped = RPCError(.internal, "The server failed unexpectedly; its log has the cause.", reason: "INTERNAL")
    }
    return mapped.completed(domain: errorDomain)
  }

  private func cancellationError(_ call: any IncomingCall) -> RPCError {
    guard call.isCancelled else { return .shuttingDown }
    if let deadline = call.context.deadline, deadline <= .now() {
      return RPCError(.deadlineExceeded, "The deadline has passed.", reason: "DEADLINE_EXCEEDED")
    }
    return RPCError(.cancelled, "The client cancelled the call or has disconnected.", reason: "CANCELLED")
  }
}

internal import Logging
internal import Synchronization

/// Runs one call: finds the handler, puts the interceptors around it, turns the outcome into a status.
struct CallExecutor: Sendable {
  let router: RPCRouter
  let interceptors: [any ServerInterceptor]
  let errorMapper: @Sendable (any Error) -> RPCError?
  let errorDomain: String
  let logger: Logger

  /// Returns when the handler has; the call is finished then.
  func run(_ call: ServerCall) async {
    await withTaskGroup { group in
      group.addTask {
        await execute(call)
        call.handled()
      }
      group.addTask { await call.waitForCancellation() }
      await group.next()
      // Either the handler is done, and this does nothing, or the client is gone.
      group.cancelAll()
    }
  }

  private func execute(_ call: ServerCall) async {
    let response = Mutex<LentMessage?>(nil)
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

  private func handle(_ call: ServerCall, _ context: CallContext) async throws -> LentMessage? {
    guard let handler = router.handler(forPath: call.path) else {
      throw RPCError(
        .unimplemented, "There is no method \(context.method).", reason: "METHOD_NOT_FOUND",
        metadata: ["method": context.method.description])
    }
    return try await handler(call, context)
  }

  private func rpcError(for error: any Error, _ call: ServerCall) -> RPCError {
    let mapped: RPCError
    if let error = error as? RPCError {
      mapped = error
    } else if error is CancellationError {
      mapped = cancellationError(call)
    } else if let error = errorMapper(error) {
      mapped = error
    } else {
      // The client learns nothing of the inside; the log does.
      logger.error(
        "a handler failed with an unexpected error",
        metadata: ["rpc.method": "\(call.context.method)", "error": "\(error)"])
      mapped = RPCError(.internal, "The server failed unexpectedly; its log says more.", reason: "INTERNAL")
    }
    return mapped.completed(domain: errorDomain)
  }

  private func cancellationError(_ call: ServerCall) -> RPCError {
    guard call.isCancelled else { return .shuttingDown }
    if let deadline = call.context.deadlineNanoseconds, deadline <= monotonicNanoseconds() {
      return RPCError(.deadlineExceeded, "The deadline has passed.", reason: "DEADLINE_EXCEEDED")
    }
    return RPCError(.cancelled, "The client cancelled the call or is gone.", reason: "CANCELLED")
  }
}

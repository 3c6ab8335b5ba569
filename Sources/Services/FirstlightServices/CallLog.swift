public import Logging
public import RPCCore
internal import SystemClocks

/// Logs how each call ended. An error with the code `internal` is a fault of the daemon, so the log has it as a
/// warning. Every other outcome of a call is at debug level.
public struct CallLog: ServerInterceptor {
  private let logger: Logger

  /// Makes the interceptor, which logs to `logger`.
  public init(logger: Logger) { self.logger = logger }

  /// Runs the call and logs how it ended.
  ///
  /// - Throws: the error that `next` throws.
  public func intercept(
    _ context: CallContext, next: @Sendable (CallContext) async throws -> Void
  ) async throws {
    do {
      try await next(context)
      log(.debug, "A call ended.", context, code: "ok")
    } catch let error as RPCError {
      log(error.code == .internal ? .warning : .debug, "A call failed.", context, code: "\(error.code)")
      throw error
    }
  }

  private func log(_ level: Logger.Level, _ message: Logger.Message, _ context: CallContext, code: String) {
    logger.log(
      level: level, message,
      metadata: [
        "rpc.method": "\(context.method.path)", "rpc.grpc.status_code": "\(code)", "network.peer": "\(context.peer)",
        "rpc.duration_ms": "\(MonotonicInstant.now().nanoseconds(since: context.arrival) / 1_000_000)",
      ])
  }
}

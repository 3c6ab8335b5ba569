/// Code that runs around every call: logging, metrics, authentication.
public protocol ServerInterceptor: Sendable {
  /// Calls `next` once to go on, or throws to refuse the call. `next` throws ``RPCError`` and nothing else. What this
  /// function throws is the outcome of the call.
  ///
  /// The executor also calls it for methods that the router does not have, so that logs show them. Calls that a
  /// transport refuses because it has too many do not get here.
  func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws
}

/// Code around every call: logging, metrics, authentication.
public protocol ServerInterceptor: Sendable {
  /// Calls `next` once to go on, or throws to refuse the call. `next` throws ``RPCError`` and nothing else; what this
  /// throws is the outcome of the call.
  ///
  /// Also runs for methods that nobody serves, so that they are seen in logs; not for calls refused for overload.
  func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws
}

/// Code that runs around the handler of every call, for example for logging, metrics or authentication.
public protocol ServerInterceptor: Sendable {
  /// Lets a call proceed by calling `next` once, or refuses the call by throwing. An error that this function throws is
  /// the outcome of the call.
  ///
  /// The executor also calls this function for methods that the router does not have, so that such calls appear in
  /// logs. A transport that has too many calls refuses a call before the interceptors see it.
  ///
  /// - Parameters:
  ///   - context: the facts of the call.
  ///   - next: runs the remaining interceptors and the handler. `next` throws an ``RPCError`` when the handler fails,
  ///     and the error of an inner interceptor when that interceptor throws.
  func intercept(_ context: CallContext, next: @Sendable (CallContext) async throws -> Void) async throws
}

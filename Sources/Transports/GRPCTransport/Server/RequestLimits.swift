internal import RPCCore

/// The largest request of a method in bytes, which depends on the method's `RequestSize`.
struct RequestLimits: Sendable {
  let small: Int
  let large: Int
  let router: RPCRouter

  /// Whether the requests of a method may be large. For a method that the router does not have, the requests are small.
  func areLarge(of method: MethodName) -> Bool { router.route(for: method)?.requests == .large }
}

internal import FirstlightAPI
public import RPCCore

/// The services that cause trouble on purpose, for an operator who asked for them.
public struct Drills: Sendable {
  /// Carries a fault of a synthetic camera out. It throws `deviceNotFound` or `notSupportedInConfiguration`. Nil when
  /// there are no synthetic cameras; FaultInjectionService is then missing.
  public var injectFault: (@Sendable (InjectedFault, _ deviceID: String) async throws -> Void)?

  public init(injectFault: (@Sendable (InjectedFault, _ deviceID: String) async throws -> Void)?) {
    self.injectFault = injectFault
  }
}

extension CameraServices {
  /// Makes the router of every method that the daemon serves. Each transport serves this router.
  ///
  /// - Parameters:
  ///   - health: what the health service tells.
  ///   - drills: nil unless an operator asked for them.
  /// - Throws: when the generated descriptor set cannot be decoded.
  public func router(facts: ServerFacts, health: HealthState, drills: Drills?) throws -> RPCRouter {
    var router = RPCRouter()
    register(on: &router)
    if let drills {
      PressureDrillHandlers(monitor: pressure).register(on: &router)
      if let inject = drills.injectFault { FaultInjectionHandlers(inject: inject).register(on: &router) }
    }
    HealthService.register(on: &router, state: health)
    // These two come last, because they tell clients what the router has.
    ServerHandlers(facts: facts).register(on: &router)
    try ReflectionService.register(on: &router, fileDescriptorSet: FirstlightDescriptorSet.bytes)
    return router
  }
}

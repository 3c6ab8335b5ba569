internal import FirstlightAPI
public import RPCCore

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

internal import FirstlightAPI
public import RPCCore

extension CameraServices {
  /// Makes the router of every method that the daemon serves. Each transport serves this router.
  ///
  /// - Parameters:
  ///   - facts: the facts that GetServerInfo tells clients.
  ///   - health: the state that the health service tells clients.
  ///   - drills: the services for drills; nil, for none, unless an operator asked for drills.
  /// - Throws: the decoding error when the generated descriptor set cannot be decoded.
  public func router(facts: ServerFacts, health: HealthState, drills: Drills?) throws -> RPCRouter {
    var router = RPCRouter()
    register(on: &router)
    if let drills {
      PressureDrillHandlers(monitor: pressure, sessions: sessions, ladder: ladder, changes: changes)
        .register(on: &router)
      TaskPoolDrillHandlers(changes: changes).register(on: &router)
      if let inject = drills.injectFault {
        FaultInjectionHandlers(changes: changes, inject: inject).register(on: &router)
      }
    }
    HealthService.register(on: &router, state: health)
    // ServerService and reflection come last, because they tell clients which services the router has by then.
    ServerHandlers(facts: facts).register(on: &router)
    try ReflectionService.register(on: &router, fileDescriptorSet: FirstlightDescriptorSet.bytes)
    return router
  }
}

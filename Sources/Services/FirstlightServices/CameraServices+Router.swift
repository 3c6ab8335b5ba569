internal import FirstlightAPI
public import RPCCore
internal import SystemPressure

extension CameraServices {
  /// Makes the router of every method that the daemon serves. Each transport serves this router.
  ///
  /// - Parameters:
  ///   - facts: the facts that GetServerInfo tells clients.
  ///   - health: the state that the health service tells clients.
  ///   - drills: the services for drills; nil, for none, unless an operator asked for drills.
  /// - Throws: the decoding error when the generated descriptor set cannot be decoded.
  public func router(facts: ServerFacts, health: HealthState, drills: Drills?) throws -> RPCRouter {
    var router = ServiceRouter(methods: RPCRouter(access: access), changes: changes)
    register(on: &router)
    if let drills {
      PressureDrillHandlers(monitor: pressure, sessions: sessions, ladder: ladder).register(on: &router)
      TaskPoolDrillHandlers().register(on: &router)
      if let inject = drills.injectFault { FaultInjectionHandlers(inject: inject).register(on: &router) }
    }
    HealthService.register(on: &router.methods, state: health)
    // ServerService and reflection come last, because they tell clients which services the router has by then.
    ServerHandlers(facts: facts, besides: router.methods.services).register(on: &router)
    try ReflectionService.register(on: &router.methods, fileDescriptorSet: FirstlightDescriptorSet.bytes)
    return router.methods
  }

  /// Adds the methods of every camera service to a router.
  private func register(on router: inout ServiceRouter) {
    let storageRule = VideoStorageRule(storage: videoStorage, recordings: recordings)
    let device = DeviceHandlers(devices: devices, sessions: sessions)
    let session = SessionHandlers(sessions: sessions, videoStorage: storageRule)
    let previews = PreviewHandlers(sessions: sessions, readers: readers)
    let photos = PhotoHandlers(sessions: sessions, captures: captures)
    let heat = PressureHandlers(monitor: pressure, ladder: ladder, devices: devices)
    device.register(on: &router)
    session.register(on: &router)
    previews.register(on: &router)
    VideoDataHandlers(sessions: sessions, temperature: { [pressure] in pressure.current.readings.warmest })
      .register(on: &router)
    photos.register(on: &router)
    RecordingHandlers(sessions: sessions, recordings: recordings, exports: exports).register(on: &router)
    AssetWriterHandlers(sessions: sessions, writers: writers, videoStorage: storageRule).register(on: &router)
    VideoStorageHandlers(storage: videoStorage, configurationFile: configurationFile).register(on: &router)
    DelayedFeedHandlers(sessions: sessions, feeds: delayedFeeds).register(on: &router)
    heat.register(on: &router)
    ViewfinderHandlers(
      access: access, readers: readers, previews: previews, sessions: session, photos: photos, pressure: heat,
      devices: device
    ).register(on: &router)
  }
}

public import CaptureCore
public import Logging
internal import Synchronization

/// All cameras of the daemon, from every provider, and who holds which.
public actor DeviceRegistry {
  private let providers: [any DeviceProvider]
  /// Which session holds a device. Behind a lock, so that a session frees its device in the same step in which it stops.
  private nonisolated let claims = Mutex<[String: String]>([:])
  /// Cameras coming and going.
  public nonisolated let events = EventLog<DeviceChange>()

  /// Controls that captures have set for themselves, by device.
  var taken: [String: Set<String>] = [:]
  /// The end of the newest access to controls, by device.
  var lastAccess: [String: Task<Void, Never>] = [:]

  /// What the machine itself can do.
  nonisolated let machine: MachineGauge
  /// What running streams take of the USB buses.
  nonisolated let usb = USBLedger()

  /// - Parameter machine: what costs are computed with; while it knows nothing those of processor and memory are unknown.
  public init(providers: [any DeviceProvider], machine: MachineGauge = MachineGauge()) {
    self.providers = providers
    self.machine = machine
  }

  /// Feeds ``events`` until the task is cancelled.
  public func run() async {
    await withDiscardingTaskGroup { group in
      for provider in providers {
        let changes = provider.changes()
        group.addTask { [events] in
          for await change in changes { events.append(change) }
        }
      }
    }
  }

  /// The cameras present now, ordered by id.
  public func devices() async -> [Device] {
    var all: [Device] = []
    for provider in providers { all += await provider.devices() }
    return all.sorted { $0.id < $1.id }
  }

  /// The cameras as their providers last saw them, ordered by id; no camera is asked anything.
  func knownDevices() async -> [Device] {
    var all: [Device] = []
    for provider in providers { all += await provider.knownDevices() }
    return all.sorted { $0.id < $1.id }
  }

  /// - Throws: `deviceNotFound`.
  public func device(_ id: String) async throws(CaptureError) -> Device {
    for provider in providers {
      if let device = await provider.devices().first(where: { $0.id == id }) { return device }
    }
    throw Self.notFound(id)
  }

  /// Checks by what hot-plug told of the device that it is there and may be opened. No camera is asked.
  ///
  /// - Throws: `deviceNotFound`, `deviceAccessDenied`.
  func checkPresence(of id: String) async throws(CaptureError) {
    guard let device = await knownDevices().first(where: { $0.id == id }) else { throw Self.notFound(id) }
    if let refusal = device.unavailable { throw refusal }
  }

  /// The session that runs the device, nil when none does.
  public nonisolated func holder(of id: String) -> String? { claims.withLock { $0[id] } }

  /// Whether `session` may set what belongs to the device: the one that runs it may, anybody when none does.
  ///
  /// - Parameter session: nil when the caller named none.
  /// - Throws: `deviceClaimed`; `sessionNotRunning` when no session runs the device, though one was named.
  public nonisolated func checkClaim(on id: String, by session: String?) throws(CaptureError) {
    let holder = holder(of: id)
    guard holder != session else { return }
    guard let holder else {
      throw CaptureError(
        .sessionNotRunning, "Session \(session ?? "") does not run device \(id); start it, or name no session.",
        metadata: ["session": session ?? "", "device": id])
    }
    throw CaptureError(
      .deviceClaimed, "Session \(holder) runs device \(id); name that one.",
      metadata: ["device": id, "session": holder], field: "session")
  }

  /// The device's controls with their present values.
  public func controls(of id: String) async throws(CaptureError) -> [Control] {
    try await ofTheOne(id) { provider async throws(CaptureError) in try await provider.controls(of: id) }
  }

  /// Sets controls for a shot that has begun; see ``DeviceProvider/set(_:on:)``.
  func setForShot(_ settings: [ControlSetting], on id: String) async throws(CaptureError) -> [ControlResult] {
    try await ofTheOne(id) { provider async throws(CaptureError) in try await provider.set(settings, on: id) }
  }

  /// What the device would deliver; claims nothing.
  func resolve(_ request: StreamRequest, on id: String) async throws(CaptureError) -> StreamFormat {
    try await find(id).provider.resolve(request, on: id)
  }

  /// Reserves a device for a session. Claiming again what the session holds is harmless.
  ///
  /// - Throws: `deviceInUse` when another session holds it.
  nonisolated func claim(_ id: String, for session: String) throws(CaptureError) {
    let holder = claims.withLock { claims in
      if claims[id] == nil { claims[id] = session }
      return claims[id]
    }
    if let holder, holder != session { throw Self.inUse(id, by: holder) }
  }

  /// Why `session` could not claim the device now; nil when it could.
  nonisolated func refusal(of id: String, to session: String) -> CaptureError? {
    holder(of: id).flatMap { $0 == session ? nil : Self.inUse(id, by: $0) }
  }

  private static func inUse(_ id: String, by holder: String) -> CaptureError {
    CaptureError(
      .deviceInUse, "Device \(id) is used by session \(holder); stop that session first.",
      metadata: ["device": id, "session": holder])
  }

  /// Gives back every device that the session holds, but those in `kept`.
  nonisolated func release(from session: String, except kept: Set<String> = []) {
    claims.withLock { claims in
      claims = claims.filter { $0.value != session || kept.contains($0.key) }
      usb.keep { claims[$0] != nil }
    }
  }

  /// Which session holds which device.
  public nonisolated var holders: [String: String] { claims.withLock { $0 } }

  /// Starts a claimed device.
  ///
  /// - Throws: what the device says; `bandwidthExceeded` names the bus, and what should fit on it.
  func start(
    _ request: StreamRequest, on id: String, pool: FramePool, sink: any FrameSink
  ) async throws(CaptureError) -> any FrameSource {
    let (provider, device) = try await find(id)
    let source: any FrameSource
    do throws(CaptureError) { source = try await provider.start(request, on: id, pool: pool, sink: sink) } catch {
      throw await explained(error, starting: request, on: device)
    }
    usb.set(USBDemand(device: device, request: request, rate: source.format.frameRate), of: id)
    return source
  }

  /// How much longer it takes to prepare an output of a session with this device than the output's own work does.
  func initDelay(ofOutput id: String, on deviceID: String) async -> Duration {
    var delay = Duration.zero
    for provider in providers { delay = max(delay, await provider.initDelay(ofOutput: id, on: deviceID)) }
    return delay
  }

  /// Does beforehand what the first start would have to do: finds the cameras and has each try the format a session
  /// would usually want. One that cannot is logged; its session will be told why.
  public func prewarm(logger: Logger) async {
    await withDiscardingTaskGroup { group in
      for provider in providers {
        group.addTask {
          await provider.prewarm()
          for device in await provider.knownDevices() where device.unavailable == nil {
            guard case .success(let request) = FormatSelection.request(.high, rate: nil, on: device) else { continue }
            do { _ = try await provider.resolve(request, on: device.id) } catch {
              logger.warning("camera not prewarmed", metadata: ["device": "\(device.id)", "error": "\(error)"])
            }
          }
        }
      }
    }
    logger.info("cameras prewarmed")
  }

  /// Asks one provider after the other, without looking for the camera first: somebody may be moving a slider.
  private func ofTheOne<R: Sendable>(
    _ id: String, _ body: (any DeviceProvider) async throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    for provider in providers {
      do { return try await body(provider) } catch {
        guard error.reason == .deviceNotFound else { throw error }
      }
    }
    throw Self.notFound(id)
  }

  private func find(_ id: String) async throws(CaptureError) -> (provider: any DeviceProvider, device: Device) {
    for provider in providers {
      if let device = await provider.knownDevice(id) { return (provider, device) }
    }
    throw Self.notFound(id)
  }

  private static func notFound(_ id: String) -> CaptureError {
    CaptureError(
      .deviceNotFound, "There is no device \(id); ListDevices tells which there are.", metadata: ["device": id])
  }
}

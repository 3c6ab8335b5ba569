public import CaptureCore
internal import Locking
public import Logging

/// A change to the cameras or to the microphones that are present.
public enum DeviceNews: Hashable, Sendable {
  case camera(DeviceChange)
  case microphone(MicrophoneChange)
}

/// All cameras of the daemon, from every provider, and the sessions that hold them.
public actor DeviceRegistry {
  private let providers: [any DeviceProvider]
  /// The session that holds each device, by device id. A lock guards the claims, so that a session can free its device
  /// without waiting for the registry's actor, in the same step in which the session stops.
  private nonisolated let claims = Locked<[String: String]>([:])
  /// The microphones, which have claims of their own.
  public nonisolated let microphones: MicrophoneRegistry
  /// An event for each camera and each microphone that comes or goes.
  public nonisolated let events = EventLog<DeviceNews>()

  /// The ids of the controls that a running shot has taken, by device.
  var taken: [String: Set<String>] = [:]
  /// The last access to controls that was queued, by device. The next access waits for its end.
  var lastAccess: [String: Task<Void, Never>] = [:]

  /// The capacity of the machine, once it has been measured.
  nonisolated let machine: MachineGauge
  /// What the running streams take of the USB buses.
  nonisolated let usb = USBLedger()

  /// Manages the cameras of all providers.
  ///
  /// - Parameters:
  ///   - providers: find and open cameras, each of one kind.
  ///   - microphones: the microphones.
  ///   - machine: the machine's capacity, for computing costs. While it is not known, the costs of processor and memory
  ///     are unknown too.
  public init(
    providers: [any DeviceProvider], microphones: MicrophoneRegistry = MicrophoneRegistry(),
    machine: MachineGauge = MachineGauge()
  ) {
    self.providers = providers
    self.microphones = microphones
    self.machine = machine
  }

  /// Appends the changes that the providers report to ``events``, until the task is cancelled.
  public func run() async {
    await withDiscardingTaskGroup { group in
      for provider in providers {
        let changes = provider.changes()
        group.addTask { [events] in
          for await change in changes { events.append(.camera(change)) }
        }
      }
      group.addTask { [microphones, events] in await microphones.run { events.append(.microphone($0)) } }
    }
  }

  /// Returns the cameras that are present now, ordered by id.
  public func devices() async -> [Device] {
    var all: [Device] = []
    for provider in providers { all += await provider.devices() }
    return all.sorted { $0.id < $1.id }
  }

  /// Returns the cameras as their providers last saw them, ordered by id. The providers ask no camera.
  func knownDevices() async -> [Device] {
    var all: [Device] = []
    for provider in providers { all += await provider.knownDevices() }
    return all.sorted { $0.id < $1.id }
  }

  /// Returns the ids that no camera and no microphone has that is present, and the ids of all that are. The providers
  /// ask no camera.
  public func missing(among ids: [String]) async -> (missing: [String], present: [String]) {
    let cameras = await knownDevices().map(\.id)
    guard !ids.allSatisfy(cameras.contains) else { return ([], cameras) }
    let present = cameras + (await microphones.microphones().map(\.id))
    return (ids.filter { !present.contains($0) }, present)
  }

  /// Returns the camera called `id` as it is now.
  ///
  /// - Throws: `deviceNotFound`.
  public func device(_ id: String) async throws(CaptureError) -> Device {
    for provider in providers {
      if let device = await provider.devices().first(where: { $0.id == id }) { return device }
    }
    throw Self.notFound(id)
  }

  /// Checks that the device is present and may be opened. The check relies on the hot-plug events so far and asks no
  /// camera.
  ///
  /// - Throws: `deviceNotFound`, `deviceAccessDenied`.
  func checkPresence(of id: String) async throws(CaptureError) {
    guard let device = await knownDevices().first(where: { $0.id == id }) else { throw Self.notFound(id) }
    if let refusal = device.unavailable { throw refusal }
  }

  /// Returns the id of the session that holds the device; nil when no session does.
  public nonisolated func holder(of id: String) -> String? { claims.withLock { $0[id] } }

  /// Checks that a client may change the device's settings. While a session holds the device, the client must name that
  /// session. While no session does, any client may change them without naming one.
  ///
  /// - Parameter session: the session that the client named; nil when it named none.
  /// - Throws: `deviceClaimed` when another session holds the device; `sessionNotRunning` when the client named a
  ///   session and no session holds the device.
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

  /// Returns the device's controls with their present values.
  ///
  /// - Throws: `deviceNotFound`, or why the controls cannot be read.
  public func controls(of id: String) async throws(CaptureError) -> [Control] {
    try await ofTheOne(id) { provider async throws(CaptureError) in try await provider.controls(of: id) }
  }

  /// Sets controls for a shot that has begun; see ``DeviceProvider/set(_:on:)``.
  func setForShot(_ settings: [ControlSetting], on id: String) async throws(CaptureError) -> [ControlResult] {
    try await ofTheOne(id) { provider async throws(CaptureError) in try await provider.set(settings, on: id) }
  }

  /// Returns the format that the device would deliver for a request, without claiming the device.
  func resolve(_ request: StreamRequest, on id: String) async throws(CaptureError) -> StreamFormat {
    try await find(id).provider.resolve(request, on: id)
  }

  /// Claims a device for a session. A session may claim again a device that it holds.
  ///
  /// - Throws: `deviceInUse` when another session holds the device.
  nonisolated func claim(_ id: String, for session: String) throws(CaptureError) {
    let holder = claims.withLock { claims in
      if claims[id] == nil { claims[id] = session }
      return claims[id]
    }
    if let holder, holder != session { throw Self.inUse(id, by: holder) }
  }

  /// Returns why `session` could not claim the device now; nil when it could.
  nonisolated func refusal(of id: String, to session: String) -> CaptureError? {
    holder(of: id).flatMap { $0 == session ? nil : Self.inUse(id, by: $0) }
  }

  private static func inUse(_ id: String, by holder: String) -> CaptureError {
    CaptureError(
      .deviceInUse, "Device \(id) is used by session \(holder); stop that session first.",
      metadata: ["device": id, "session": holder])
  }

  /// Releases every device that the session holds, except those in `kept`.
  nonisolated func release(from session: String, except kept: Set<String> = []) {
    claims.withLock { claims in
      claims = claims.filter { $0.value != session || kept.contains($0.key) }
      usb.keep { claims[$0] != nil }
    }
  }

  /// Notes that a session has closed a device which it keeps claimed, so that it takes nothing of its USB bus. Has no
  /// effect on a device that the session does not hold, because another session may stream from it.
  nonisolated func noteClosed(_ id: String, by session: String) {
    claims.withLock { if $0[id] == session { usb.set(nil, of: id) } }
  }

  /// The id of the session that holds each claimed device, by device id.
  public nonisolated var holders: [String: String] { claims.withLock { $0 } }

  /// Starts a device that the session has claimed.
  ///
  /// - Throws: the error of the device; `bandwidthExceeded` also names the bus and the modes that should fit on it.
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

  /// Returns the time that preparing an output takes on this device in addition to the output's own work. Only
  /// synthetic cameras declare such a time.
  func initDelay(ofOutput id: String, on deviceID: String) async -> Duration {
    var delay = Duration.zero
    for provider in providers { delay = max(delay, await provider.initDelay(ofOutput: id, on: deviceID)) }
    return delay
  }

  /// Does the slow part of the first start in advance: finds the cameras, and lets each try the format that a session
  /// usually wants. A camera that cannot is logged; its session gets the error when it starts.
  public func prewarm(logger: Logger) async {
    await withDiscardingTaskGroup { group in
      for provider in providers {
        group.addTask {
          await provider.prewarm()
          for device in await provider.knownDevices() where device.unavailable == nil {
            guard case .success(let request) = FormatSelection.request(.high, rate: nil, on: device) else { continue }
            do { _ = try await provider.resolve(request, on: device.id) } catch {
              logger.warning(
                "The daemon cannot prewarm a camera.",
                metadata: ["device.id": "\(device.id)", "error.message": "\(error)"])
            }
          }
        }
      }
    }
    logger.info("The cameras are prewarmed.")
  }

  /// Runs `body` with one provider after the other until one knows the device. There is no search for the camera first,
  /// because it would delay a client that sets a control many times in a row, as a person's slider does.
  ///
  /// - Throws: `deviceNotFound` when no provider knows the device, or the error of `body`.
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

public import CaptureCore
public import Logging
public import SystemClocks

/// The sessions of the daemon.
public actor SessionRegistry {
  /// The largest number of sessions at the same time.
  public static let maximumSessions = 64

  private struct Entry {
    var session: CaptureSession
    var reaper: Task<Void, Never>?
  }
  private var entries: [String: Entry] = [:]
  /// The calls that wait for a session to be created, by the session's id. The server bounds their number.
  var arrivals: [String: [UInt64: CheckedContinuation<Void, Never>]] = [:]
  var lastArrival: UInt64 = 0
  private var ended: CaptureError?
  let environment: SessionParts.Environment
  private var launch = LaunchTimeline()
  private var conditions: SystemConditions

  /// - Parameters:
  ///   - devices: the cameras of the daemon.
  ///   - pressure: the pressure until ``setPressure(_:)`` is called.
  ///   - clock: times the delays that sessions observe, such as the pauses between retries.
  ///   - deferredStartLimit: how long after the camera's first frame automatic deferred start runs at the latest, even
  ///     if no reader has taken a frame.
  ///   - memory: holds the cameras' frames.
  ///   - meanLuma: measures frames to find the first settled frame of a launch. The default measures none, so the frame
  ///     stays unknown.
  ///   - makeComposition: makes the compositions of sessions.
  ///   - makeOutput: makes the outputs of sessions.
  public init(
    devices: DeviceRegistry, pressure: PressureDemands = PressureDemands(), logger: Logger,
    clock: any Clock<Duration> = ContinuousClock(), deferredStartLimit: Duration = .seconds(1),
    memory: FrameMemory = .process, meanLuma: @escaping LumaMeter = { _ in nil },
    makeComposition: @escaping CompositionMaker, makeOutput: @escaping OutputFactory
  ) {
    environment = SessionParts.Environment(
      devices: devices, logger: logger, clock: clock, deferredStartLimit: deferredStartLimit,
      memory: memory, meanLuma: meanLuma, makeComposition: makeComposition, makeOutput: makeOutput)
    conditions = SystemConditions(pressure: pressure, isSystemAsleep: false)
  }

  /// Sets the daemon's own part of every launch timeline.
  ///
  /// - Parameters:
  ///   - processStart: when the daemon's process began.
  ///   - serverReady: when the daemon began to take calls.
  public func setDaemonTimes(processStart: MonotonicInstant, serverReady: MonotonicInstant) {
    launch.processStart = processStart
    launch.serverReady = serverReady
    // Sessions that the configuration file declares are created before these times are known.
    for entry in entries.values {
      entry.session.port.timeline.record { timeline in
        timeline.processStart = processStart
        timeline.serverReady = serverReady
      }
    }
  }

  /// Tells every present and future session the pressure. Returns when all present sessions know it; their reaction may
  /// take longer.
  ///
  /// The registry evaluates `pressure` when the turn of this call comes. A caller that was overtaken by a later one
  /// therefore brings no older pressure back.
  public func setPressure(_ pressure: @autoclosure @Sendable () -> PressureDemands) async {
    conditions.pressure = pressure()
    for entry in entries.values { await entry.session.setPressure(conditions.pressure) }
  }

  /// Sends the watchers of every session its cost whenever the machine has been measured. Returns when the task is
  /// cancelled.
  public func tellCosts() async {
    for await _ in environment.devices.machine.told {
      for entry in entries.values { await entry.session.machineWasMeasured() }
    }
  }

  /// Tells every present and future session that the machine is about to sleep, or is awake again. Before a sleep, this
  /// method returns when every camera is closed.
  public func setSystemAsleep(_ isAsleep: Bool) async {
    conditions.isSystemAsleep = isAsleep
    await withDiscardingTaskGroup { group in
      for entry in entries.values { group.addTask { await entry.session.setSystemAsleep(isAsleep) } }
    }
  }

  /// Creates a stopped session.
  ///
  /// - Parameters:
  ///   - id: 1 to 63 characters of `a-z`, `0-9` and `-`, starting with a letter. An empty id lets the registry choose
  ///     one.
  ///   - idleTimeout: nanoseconds without use after which the session is deleted; 0 keeps it forever.
  ///   - isBeingCreated: whether calls for the outputs of the session wait for ``CaptureSession/endCreation()``.
  ///   - onDemand: for a session that starts on demand, how long after its last viewer has left it stops; else nil.
  ///   - isDeclared: whether the configuration file declares the session, which nobody can delete then.
  /// - Throws: `invalidArgument`, `sessionExists`, `tooManyRequests`, `shuttingDown`.
  public func create(
    id: String, idleTimeout: UInt64, isBeingCreated: Bool = false, onDemand: Duration? = nil, isDeclared: Bool = false
  ) throws(CaptureError) -> CaptureSession {
    if let ended { throw ended }
    let id = id.isEmpty ? "s" + String(UInt64.random(in: .min ... .max), radix: 36) : id
    guard Self.isValid(id) else {
      throw CaptureError(
        .invalidArgument, "A session id has 1 to 63 characters of a-z, 0-9 and -, and begins with a letter.",
        metadata: ["session_id": String(id.prefix(80))], field: "session_id")
    }
    guard entries[id] == nil else {
      throw CaptureError(
        .sessionExists, "There is a session \(id) already; choose another id.", metadata: ["session": id],
        field: "session_id")
    }
    guard entries.count < Self.maximumSessions else {
      throw CaptureError(
        .tooManyRequests, "There are \(Self.maximumSessions) sessions already; delete one first.",
        metadata: ["limit": "\(Self.maximumSessions)"])
    }
    var launch = launch
    launch.sessionCreated = .now()
    let session = environment.makeSession(
      id: id, launch: launch, conditions: conditions, isBeingCreated: isBeingCreated, onDemand: onDemand,
      isDeclared: isDeclared)
    let reaper: Task<Void, Never>? =
      idleTimeout == 0 ? nil : Task { [weak self] in _ = await self?.reap(session, after: idleTimeout) }
    entries[id] = Entry(session: session, reaper: reaper)
    endWaiting(for: id)
    return session
  }

  /// Returns the session called `id`, and counts this call as a use of it.
  ///
  /// - Throws: `sessionNotFound`, `shuttingDown`.
  public func session(_ id: String) throws(CaptureError) -> CaptureSession {
    if let ended { throw ended }
    guard let session = entries[id]?.session else { throw Self.notFound(id) }
    session.idle.touch()
    return session
  }

  /// Whether no session has this id while sessions can still be created.
  func isMissing(_ id: String) -> Bool { ended == nil && entries[id] == nil }

  /// Returns all sessions, ordered by id.
  public func sessions() -> [CaptureSession] { entries.values.map(\.session).sorted { $0.id < $1.id } }

  /// Stops and deletes a session. Its streams end with `sessionNotFound`.
  ///
  /// - Parameters:
  ///   - id: the session's id.
  ///   - etag: the etag of the configuration that the client knows; empty accepts any.
  /// - Throws: `sessionNotFound`, `sessionDeclared`, `etagMismatch`, `shuttingDown`.
  public func delete(_ id: String, etag: String) async throws {
    let session = try session(id)
    guard !session.isDeclared else { throw SessionErrors.isDeclared(id) }
    try await delete(session, etag: etag)
  }

  func delete(_ session: CaptureSession, etag: String) async throws {
    let id = session.id
    try await session.end(
      CaptureError(.sessionNotFound, "Session \(id) was deleted.", metadata: ["session": id]), etag: etag)
    // Another call may have deleted the session and created one with the same id meanwhile; keep that new session.
    if entries[id]?.session === session { entries.removeValue(forKey: id)?.reaper?.cancel() }
  }

  /// Ends every session with `error`, and refuses new sessions with the same error. Returns when all cameras are free.
  public func shutDown(_ error: CaptureError) async {
    ended = error
    for id in arrivals.keys { endWaiting(for: id) }
    await withDiscardingTaskGroup { group in
      for entry in entries.values {
        entry.reaper?.cancel()
        group.addTask { try? await entry.session.end(error, etag: "") }
      }
    }
    entries = [:]
  }

  private func reap(_ session: CaptureSession, after timeout: UInt64) async {
    while true {
      let remaining = session.idle.remaining(of: timeout)
      if remaining == 0 { break }
      // Wait at least 10 ms. With a timeout of a nanosecond, a stream that uses the session would otherwise keep a
      // processor core busy with this loop.
      let pause = max(Int64(clamping: remaining), 10_000_000)
      guard (try? await Task.sleep(for: .nanoseconds(pause))) != nil else { return }
    }
    // The session may have been deleted at this very moment, and another session may have its id.
    guard entries[session.id]?.session === session else { return }
    environment.logger.info("Nobody uses the session, so it is deleted.", metadata: ["session.id": "\(session.id)"])
    try? await delete(session.id, etag: "")
  }

  private static func isValid(_ id: String) -> Bool {
    (1...63).contains(id.utf8.count) && ("a"..."z").contains(id.first!)
      && id.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
  }

  private static func notFound(_ id: String) -> CaptureError {
    CaptureError(
      .sessionNotFound, "There is no session \(id); create it first.", metadata: ["session": id])
  }
}

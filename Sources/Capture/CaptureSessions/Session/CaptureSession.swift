public import CaptureCore
internal import Logging

/// Makes an output from its resolved configuration.
public typealias OutputFactory = @Sendable (ResolvedConfiguration.Output, any OutputContext) -> any CaptureOutput

/// A capture session: its cameras, its outputs, and one configuration of both.
///
/// The session is the order of its calls. Calls that change it run one after the other, each to its end even when its caller
/// goes away, so that a cancelled call leaves a definite state. The parts that it holds do the work.
public actor CaptureSession {
  nonisolated let port: SessionPort
  let devices: DeviceRegistry
  let pipelines: [CameraPipeline]
  let outputs: SessionOutputs
  let deferredStart: DeferredStartRuns
  let launch: LaunchReport
  let shots: ShotRuns
  var committed = CommittedConfiguration()
  var conditions: SystemConditions
  private(set) var lifetime: SessionLifetime
  private var calls = CallOrder()

  init(_ parts: SessionParts, conditions: SystemConditions, isBeingCreated: Bool) {
    port = parts.port
    devices = parts.devices
    pipelines = parts.pipelines
    outputs = parts.outputs
    deferredStart = parts.deferredStart
    launch = parts.launch
    shots = parts.shots
    self.conditions = conditions
    lifetime = SessionLifetime(isBeingCreated: isBeingCreated)
  }

  public nonisolated var id: String { port.sessionID }
  /// What happened, for WatchSession.
  public nonisolated var events: EventLog<SessionEvent> { port.events }
  /// Who uses the session.
  public nonisolated var idle: IdleTracker { port.idle }

  // MARK: What the session is now

  var status: SessionStatus { SessionStatus(of: pipelines) }

  var cost: SessionCost { SessionCost(port: port, devices: devices, committed: committed) }

  var isStreaming: Bool { pipelines.contains { $0.running != nil } }

  /// Whether a frame of the present streams has come.
  var hasFrame: Bool { pipelines.contains { $0.frames.ring.newest != nil } }

  /// The session as it is now.
  public func snapshot() -> SessionSnapshot { SessionSnapshot(of: self, with: committed) }

  /// When each step of the newest launch happened.
  public func launchTimeline() -> LaunchTimeline { port.timeline.current }

  /// How many pictures its cameras damaged since it was made.
  public func damagedPictures() -> UInt64 { pipelines.reduce(0) { $0 + $1.frames.damagedPictures } }

  /// The outputs, in the order of the resolved configuration.
  public func configuredOutputs() -> [(configuration: ResolvedConfiguration.Output, output: any CaptureOutput)] {
    committed.resolved.outputs.compactMap { output in outputs.hosted[output.id].map { (output, $0.output) } }
  }

  /// Returns when the session has its first configuration, if the call that makes it brought one.
  ///
  /// - Throws: the reason why the session ended meanwhile.
  public func awaitCreation() async throws(CaptureError) {
    if lifetime.isBeingCreated { await withCheckedContinuation { lifetime.wait($0) } }
    try lifetime.checkAlive()
  }

  /// Opens the session to the callers that wait for its first configuration.
  func endCreation() { lifetime.endCreation() }

  func apply(_ event: CameraStateMachine.Event, to pipeline: CameraPipeline) async {
    await CameraLife(pipeline, in: self).apply(event, in: self)
  }

  // MARK: Order

  /// Runs a client's call ``serially(_:)``. However long the call takes, the session is not idle meanwhile.
  private func inUse<R: Sendable>(
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) async throws -> R {
    idle.attach()
    defer { idle.detach() }
    return try await serially(body)
  }

  /// Runs `body` after every earlier call has ended, in a task of its own so that the caller's cancellation cannot break it
  /// off half-way.
  func serially<R: Sendable>(
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) async throws -> R {
    try await enqueue(body).value
  }

  /// As ``serially(_:)``, without waiting for it.
  @discardableResult
  func enqueue<R: Sendable>(
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) -> Task<R, any Error> {
    calls.enqueue(on: self, body)
  }

  /// Runs `body`, which ends the session's stream, when it is its turn. Captures before it are given up, because each of
  /// their steps may take seconds. What they set is put back all the same.
  ///
  /// - Parameter etag: with one that is outdated nothing ends.
  private func ending<R: Sendable>(
    etag: String, _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) async throws -> R {
    guard (try? committed.check(etag: etag, of: id)) != nil else { return try await serially(body) }
    shots.endsAhead += 1
    shots.cancel()
    return try await serially { session in
      session.shots.endsAhead -= 1
      return try await body(session)
    }
  }

  // MARK: Starting and stopping

  /// Starts capture; returns when the device streams. A running session stays as it is.
  ///
  /// - Throws: `noInput`, `noOutput`, and whatever the device says; `systemPressure` or `systemSuspend` when it is
  ///   interrupted at once, and will start by itself.
  public func start(requestedAt: UInt64) async throws -> SessionSnapshot {
    try await inUse { session in
      try session.lifetime.checkAlive()
      try SessionErrors.checkStartable(
        session.id, hasInput: !session.committed.resolved.inputs.isEmpty, hasOutput: !session.outputs.hosted.isEmpty)
      if session.status.state == .stopped {
        try session.cost.check()
        try await session.begin(requestedAt: requestedAt)
      }
      if let interrupted = session.pipelines.first(where: { $0.status.state == .interrupted }) {
        throw SessionErrors.interrupted(
          session.id, interrupted.life, rest: session.rest(of: interrupted),
          device: session.committed.deviceID(at: interrupted.index))
      }
      return session.snapshot()
    }
  }

  /// Begins a launch: the cameras start, or wait until nothing keeps them from it.
  ///
  /// - Parameter obstacle: keeps the cameras from running now; nil when only the machine may.
  /// - Throws: why a camera does not start.
  func begin(requestedAt: UInt64, obstacle: CaptureError? = nil) async throws(CaptureError) {
    launch.begin(requestedAt: requestedAt)
    for pipeline in pipelines {
      pipeline.frames.settling?.begin()
      pipeline.schedule = RetrySchedule()
      pipeline.startError = nil
      guard let reason = obstacle ?? rest(of: pipeline) else {
        await apply(.startRequested, to: pipeline)
        if let error = pipeline.startError { throw error }
        continue
      }
      if obstacle == nil, let device = committed.deviceID(at: pipeline.index) { try devices.claim(device, for: id) }
      await apply(.startAwaited(reason), to: pipeline)
    }
  }

  /// Stops capture; returns when the device is closed. A stopped session stays as it is.
  ///
  /// - Throws: `etagMismatch` unless `etag` is empty or the configuration's.
  public func stop(etag: String) async throws -> SessionSnapshot {
    idle.attach()
    defer { idle.detach() }
    return try await ending(etag: etag) { session in
      try session.lifetime.checkAlive()
      try session.committed.check(etag: etag, of: session.id)
      for pipeline in session.pipelines { await session.apply(.stopRequested, to: pipeline) }
      return session.snapshot()
    }
  }

  /// Stops for good: every stream on the session ends with `error`. The session is not to be used again.
  func end(_ error: CaptureError, etag: String) async throws {
    try await ending(etag: etag) { session in
      guard session.lifetime.ended == nil else { return }
      try session.committed.check(etag: etag, of: session.id)
      for pipeline in session.pipelines { await session.apply(.stopRequested, to: pipeline) }
      session.lifetime.end(error)
      session.outputs.close(error)
      for pipeline in session.pipelines {
        pipeline.frames.configure(outputs: [], input: "", revision: session.committed.revision)
      }
      session.events.end(error)
      session.port.signals.finish()
    }
  }

  /// Asks for the deferred outputs in manual mode; does nothing when they have been started.
  ///
  /// - Throws: `automaticDeferredStart`, `sessionNotRunning`.
  public func runDeferredStart() throws(CaptureError) {
    guard !committed.resolved.automaticallyRunsDeferredStart else {
      throw CaptureError(
        .automaticDeferredStart,
        "Session \(id) runs deferred start by itself; set automatically_runs_deferred_start to false to decide when.",
        metadata: ["session": id])
    }
    guard status.state == .running else { throw SessionErrors.notRunning(id) }
    deferredStart.run(in: self)
  }

  /// For a capture that needs a deferred output: runs deferred start unless it ran, and waits for its end.
  ///
  /// - Throws: `sessionNotRunning` when a stop came before this; why an output could not be prepared.
  func runDeferredStartAndWait() async throws(CaptureError) {
    guard status.state != .stopped else { throw SessionErrors.notRunning(id) }
    try await deferredStart.runAndWait(in: self)
  }

  func deferredStartLimitPassed() { deferredStart.limitPassed(isRunning: status.state == .running, in: self) }

  /// As ``OutputContext/shoot(_:while:_:)``.
  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool, _ take: @escaping TakeStep
  ) async throws -> UInt64 {
    try await serially { session in
      // A commit before it may have ended its capture.
      guard isWanted() else { throw CancellationError() }
      return try await session.shots.carryOut(shot, take, in: session)
    }
  }

  // MARK: Configuring

  /// Takes over a whole configuration.
  ///
  /// A configuration equal to the present one changes nothing. While running, the device is restarted only when the
  /// device, the format or the rate differs; if the new one does not start, the former one is started again. Should that
  /// fail too, the session is interrupted or stopped with the former configuration.
  ///
  /// - Throws: `etagMismatch`, ``ConfigurationError`` with every issue, and what the device says.
  public func configure(
    _ asked: SessionConfiguration, etag: String, validateOnly: Bool
  ) async throws -> CommitResult {
    try await inUse { session in
      try session.lifetime.checkAlive()
      let committed = session.committed
      try committed.check(etag: etag, of: session.id)
      // Its camera may be away now: what it asks for is what it has all the same.
      if asked == committed.asked, session.status.state != .stopped {
        return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: false)
      }
      let proposal = await session.propose(asked)
      if validateOnly {
        var proposed = committed
        proposed.replace(with: proposal)
        return CommitResult(
          snapshot: SessionSnapshot(of: session, with: proposed), issues: proposal.issues, reconfigured: false)
      }
      guard proposal.issues.isEmpty else { throw ConfigurationError(issues: proposal.issues) }
      if asked == committed.asked, proposal.resolved == committed.resolved {
        return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: false)
      }
      let reconfigured = try await Commit(proposal, in: session).carryOut(in: session)
      session.cost.warn()
      return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: reconfigured)
    }
  }

  func propose(_ asked: SessionConfiguration) async -> ConfigurationProposal {
    let streaming = pipelines.compactMap { pipeline in
      pipeline.running.map { (pipeline.index, $0.source.format) }
    }
    return await ConfigurationProposer(
      sessionID: id, devices: devices, committed: committed, isStopped: status.state == .stopped,
      streaming: Dictionary(uniqueKeysWithValues: streaming)
    ).propose(asked)
  }
}

public import CaptureCore
public import SystemClocks

/// Makes an output from its resolved configuration.
public typealias OutputFactory = @Sendable (ResolvedConfiguration.Output, any OutputContext) -> any CaptureOutput

/// A capture session: its cameras, its outputs, and one configuration of both.
///
/// The actor decides the order of calls, and the parts that it holds do the work. Calls that change the session run one
/// after the other. Each call runs to its end even when its caller goes away, so a cancelled call leaves the session in
/// a definite state.
public actor CaptureSession {
  nonisolated let port: SessionPort
  /// Whether the configuration file declares the session. The session is the operator's then: nobody can delete it.
  public nonisolated let isDeclared: Bool
  let devices: DeviceRegistry
  let pipelines: [CameraPipeline]
  let outputs: SessionOutputs
  let microphones: SessionMicrophones
  let deferredStart: DeferredStartRuns
  let launch: LaunchReport
  let shots: ShotRuns
  private(set) var committed = CommittedConfiguration()
  var conditions: SystemConditions
  /// Devices that are taken for microphones while they are not there, because the operator declared them.
  private(set) var declaredMicrophones: Set<String> = []
  private(set) var lifetime: SessionLifetime
  /// Whether several cameras are being started side by side, so that the session starts whatever each of them does.
  private(set) var isLaunching = false
  /// The status that watchers were told last.
  var toldStatus = SessionStatus(.stopped)
  private var calls = CallOrder()
  /// The newest call that a signal has queued.
  var report: Task<Void, any Error>?

  init(_ parts: SessionParts, conditions: SystemConditions, isBeingCreated: Bool, isDeclared: Bool) {
    port = parts.port
    self.isDeclared = isDeclared
    devices = parts.devices
    pipelines = parts.pipelines
    outputs = parts.outputs
    microphones = parts.microphones
    deferredStart = parts.deferredStart
    launch = parts.launch
    shots = parts.shots
    self.conditions = conditions
    lifetime = SessionLifetime(isBeingCreated: isBeingCreated)
  }

  /// The session's id, unique among the sessions of the daemon.
  public nonisolated var id: String { port.sessionID }
  /// The events of the session. WatchSession sends them to its watchers.
  public nonisolated var events: EventLog<SessionEvent> { port.events }
  /// How loud the microphones of the session are.
  public nonisolated var audioLevels: AudioLevels { port.audioLevels }
  /// Tracks whether any client uses the session.
  public nonisolated var idle: IdleTracker { port.idle }

  // MARK: What the session is now

  var status: SessionStatus {
    if isLaunching { return SessionStatus(.starting) }
    let present = pipelines.lazy.filter { [slots = committed.slots, inputs = committed.resolved.inputs] in
      // A pipeline without a camera is stopped, which says nothing about the session. A derived input does what
      // its cameras do.
      guard let place = slots.place(at: $0.index) else { return $0.status.state != .stopped }
      return !inputs[place].isDerived
    }
    return SessionStatus(of: present.map { ($0.status, $0.isParked) })
  }

  var cost: SessionCost {
    SessionCost(
      port: port, devices: devices, committed: committed, microphones: microphones.registry,
      isOn: status.state != .stopped)
  }

  /// Returns true while the exposure of the output's camera or composition settles after its start.
  public func isSettling(_ output: String) -> Bool {
    guard let configuration = outputs.hosted[output]?.configuration else { return false }
    return pipelines[committed.pipeline(of: configuration)].isSettling
  }

  var isStreaming: Bool { pipelines.contains { $0.running != nil } }

  /// Whether the ring of a camera holds a frame of its present stream.
  var hasFrame: Bool { pipelines.contains { $0.frames.ring.newest != nil } }

  /// Returns the state, configuration and cost that the session has now.
  public func snapshot() -> SessionSnapshot { SessionSnapshot(of: self, with: committed) }

  /// Returns when each step of the newest launch happened.
  public func launchTimeline() -> LaunchTimeline { port.timeline.current }

  /// Returns the counts of each camera, in the order of the configuration.
  public func cameraFigures() -> [CameraFigures] {
    zip(committed.resolved.inputs, cameras).map { input, pipeline in
      CameraFigures(
        input: input.id, counts: pipeline.frames.counts(of: input.id),
        adaptationSteps: pipeline.adaptation.applied.count)
    }
  }

  /// Returns the outputs, in the order of the resolved configuration.
  public func configuredOutputs() -> [(configuration: ResolvedConfiguration.Output, output: any CaptureOutput)] {
    committed.resolved.outputs.compactMap { output in outputs.hosted[output.id].map { (output, $0.output) } }
  }

  /// Returns when the session has its first configuration, or at once when the call that creates the session brings
  /// none.
  ///
  /// - Throws: the error that the session ended with, when it ended meanwhile.
  public func awaitCreation() async throws(CaptureError) {
    if lifetime.isBeingCreated { await lifetime.awaitCreation() }
    try lifetime.checkAlive()
  }

  /// Lets the callers go on that wait in ``awaitCreation()``.
  public func endCreation() { lifetime.endCreation() }

  /// Takes over the configuration of a commit.
  func take(_ proposal: ConfigurationProposal) { committed.replace(with: proposal) }

  /// Takes over the format that a driver confirmed, as ``CommittedConfiguration/take(_:at:)``.
  func take(_ confirmed: StreamFormat, at index: Int) -> Bool { committed.take(confirmed, at: index) }

  /// Takes over the form in which a microphone came, as ``CommittedConfiguration/take(_:of:)``.
  func take(_ format: AudioFormat, of input: String) -> ResolvedConfiguration.Microphone? {
    committed.take(format, of: input)
  }

  /// Counts the session as starting until all of its cameras have started or failed.
  func setLaunching(_ isLaunching: Bool) { self.isLaunching = isLaunching }

  /// Takes devices for microphones while they are not there.
  func declareMicrophones(_ devices: some Sequence<String>) { declaredMicrophones.formUnion(devices) }

  func apply(_ event: CameraStateMachine.Event, to pipeline: CameraPipeline) async {
    await CameraLife(pipeline, in: self).apply(event, in: self)
  }

  // MARK: Order

  /// Runs a client's call like ``serially(_:)``. The session counts as used until the call ends, however long it takes.
  private func inUse<R: Sendable>(
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) async throws -> R {
    idle.attach()
    defer { idle.detach() }
    return try await serially(body)
  }

  /// Runs `body` after every earlier call has ended. The call gets a task of its own, so that cancelling its caller
  /// cannot interrupt it half-way.
  ///
  /// - Throws: the error of `body`.
  func serially<R: Sendable>(
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) async throws -> R {
    try await enqueue(body).value
  }

  /// Runs `body` like ``serially(_:)``, but returns at once.
  @discardableResult
  func enqueue<R: Sendable>(
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) -> Task<R, any Error> {
    calls.enqueue(on: self, body)
  }

  /// Runs `body`, which ends the session's stream, when its turn has come. Shots that wait before it are given up,
  /// because each of their steps may take seconds; the controls that they set are set back nevertheless.
  ///
  /// - Parameter etag: the etag that the client sent. An outdated etag gives up no shot.
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

  /// Starts capture, and returns when the cameras stream. When the session runs already, it only opens those of several
  /// cameras again that an error stopped.
  ///
  /// - Parameter requestedAt: when the client asked for the start.
  /// - Throws: `noInput`, `noOutput`, `hardwareCostExceeded`, or the error of the device. When the session is
  ///   interrupted, the reason of that, such as `systemPressure` or `systemSuspend`; the session then starts by itself
  ///   later. Also the error that the session ended with.
  public func start(requestedAt: MonotonicInstant) async throws -> SessionSnapshot {
    try await inUse { session in
      try session.lifetime.checkAlive()
      defer { session.port.viewers.noteStart() }
      if session.status.state == .stopped {
        try await session.resolveAwaited(lostFormat: session.cameras.contains(where: \.lostFormat))
      }
      try session.checkStartable()
      if session.status.state == .stopped {
        try session.cost.check()
        try await SessionStart(requestedAt: requestedAt).carryOut(in: session)
      } else {
        try await session.reopenCameras()
      }
      try session.checkInterruption()
      return session.snapshot()
    }
  }

  /// - Throws: `noInput`, `noOutput`.
  func checkStartable() throws(CaptureError) {
    try SessionErrors.checkStartable(
      id, hasInput: !committed.resolved.inputs.isEmpty, hasOutput: !outputs.hosted.isEmpty)
  }

  /// - Throws: why the session is interrupted, when it is.
  func checkInterruption() throws(CaptureError) {
    guard status.state == .interrupted, let interrupted = cameras.first(where: { $0.status.state == .interrupted })
    else { return }
    throw SessionErrors.interrupted(
      id, interrupted.life, rest: rest(of: interrupted), device: committed.sourceID(at: interrupted.index))
  }

  /// Stops capture, and returns when the device is closed. Does nothing when the session is stopped already.
  ///
  /// - Parameter etag: the etag of the configuration that the client knows; empty accepts any.
  /// - Throws: `etagMismatch` unless `etag` is empty or names the present configuration; the error that the session
  ///   ended with.
  public func stop(etag: String) async throws -> SessionSnapshot {
    idle.attach()
    defer { idle.detach() }
    return try await ending(etag: etag) { session in
      try session.lifetime.checkAlive()
      try session.committed.check(etag: etag, of: session.id)
      // Noted first, so that a viewer who comes while the camera is being closed comes after the stop.
      session.port.viewers.noteStop()
      await session.stopCameras()
      await session.microphones.closed()
      return session.snapshot()
    }
  }

  /// Ends the session for good: stops it and ends every stream of events or frames with `error`. The session must not
  /// be used afterwards.
  ///
  /// - Throws: `etagMismatch` unless `etag` is empty or names the present configuration.
  func end(_ error: CaptureError, etag: String) async throws {
    try await ending(etag: etag) { session in
      guard session.lifetime.ended == nil else { return }
      try session.committed.check(etag: etag, of: session.id)
      await session.stopCameras()
      await session.microphones.closed()
      session.lifetime.end(error)
      session.outputs.close(error)
      for pipeline in session.pipelines {
        pipeline.frames.configure(outputs: [], input: "", revision: session.committed.revision)
      }
      session.events.end(error)
      session.audioLevels.end(error)
      session.port.signals.finish()
    }
  }

  /// Runs deferred start when a client asks for it in manual mode. Does nothing when the deferred outputs are prepared
  /// or being prepared.
  ///
  /// - Throws: `automaticDeferredStart` when the session runs deferred start by itself; `sessionNotRunning`.
  public func runDeferredStart() throws(CaptureError) {
    guard !committed.resolved.automaticallyRunsDeferredStart else {
      throw SessionErrors.automaticDeferredStart(id)
    }
    guard status.state == .running else { throw SessionErrors.notRunning(id) }
    deferredStart.run(in: self)
  }

  /// Runs deferred start for a capture or a recording that needs a deferred output, unless it has run, and waits for
  /// its end.
  ///
  /// - Parameter opensCameras: whether to wait for the cameras that deferred start opens, too. The caller must be no
  ///   call of the session, because they open after the earlier ones.
  /// - Throws: `sessionNotRunning` when the session was stopped before this call; why an output could not be prepared.
  func runDeferredStartAndWait(opensCameras: Bool = false) async throws(CaptureError) {
    guard status.state != .stopped else { throw SessionErrors.notRunning(id) }
    var failure: CaptureError?
    do throws(CaptureError) { try await deferredStart.runAndWait(in: self) } catch { failure = error }
    if opensCameras { try? await serially { _ in } }
    if let failure { throw failure }
  }

  func deferredStartLimitPassed() {
    // The limit may pass while others of several cameras are still being opened. The session is starting then, and none
    // of them might bring a first frame that starts the timer again.
    let isRunning = status.state == .running || (isLaunching && cameras.contains { $0.status.state == .running })
    deferredStart.limitPassed(isRunning: isRunning, in: self)
  }

  /// As ``OutputContext/shoot(_:while:_:)``.
  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool, _ take: @escaping TakeStep
  ) async throws -> MonotonicInstant {
    try await serially { session in
      // A commit that ran before this shot may have ended its capture.
      guard isWanted() else { throw CancellationError() }
      return try await session.shots.carryOut(shot, take, in: session)
    }
  }

  // MARK: Configuring

  /// Takes over a whole configuration.
  ///
  /// A configuration that equals the present one changes nothing. While the session runs, a commit restarts the device
  /// only when the device, the format or the rate differs. If the new configuration does not start, the former one
  /// starts again. If the former one fails too, the session keeps the former configuration and is interrupted or
  /// stopped.
  ///
  /// - Parameters:
  ///   - asked: the configuration.
  ///   - etag: the etag of the configuration that the client knows; empty accepts any.
  ///   - validateOnly: whether to report the issues and the result without committing.
  /// - Throws: `etagMismatch`; ``ConfigurationError`` with every issue, unless `validateOnly`; the error of the device
  ///   or of an output; the error that the session ended with.
  public func configure(
    _ asked: SessionConfiguration, etag: String, validateOnly: Bool
  ) async throws -> CommitResult {
    let requestedAt = MonotonicInstant.now()
    return try await inUse { session in
      try session.lifetime.checkAlive()
      let committed = session.committed
      try committed.check(etag: etag, of: session.id)
      // Return before resolving anything: the camera may be absent now, and the session has the configuration already.
      if asked == committed.asked, session.status.state != .stopped {
        return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: false)
      }
      let proposal = await ConfigurationProposer(in: session).propose(asked)
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
      let reconfigured = try await Commit(proposal, requestedAt: requestedAt, in: session).carryOut(in: session)
      session.cost.warn()
      return CommitResult(snapshot: session.snapshot(), issues: [], reconfigured: reconfigured)
    }
  }

  /// Commits the configuration that could not be resolved while its camera was absent, or that was resolved to a format
  /// that a camera does not give any more. Does nothing when the committed configuration has its camera and format.
  ///
  /// - Parameter lostFormat: whether a camera does not give its format any more.
  /// - Throws: why the configuration still cannot be resolved or committed.
  func resolveAwaited(lostFormat: Bool = false) async throws {
    guard committed.resolved.inputs.isEmpty || lostFormat, !committed.asked.inputs.isEmpty else { return }
    let proposal = await ConfigurationProposer(in: self).propose(committed.asked)
    if let issue = proposal.issues.first { throw issue }
    guard proposal.resolved != committed.resolved else { return }
    _ = try await Commit(proposal, requestedAt: nil, in: self).carryOut(in: self)
  }
}

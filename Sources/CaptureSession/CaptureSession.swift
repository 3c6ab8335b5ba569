public import CaptureCore
internal import Logging

/// Makes an output from its resolved configuration.
public typealias OutputFactory = @Sendable (ResolvedConfiguration.Output, any OutputContext) -> any CaptureOutput

/// A capture session: one camera, its outputs, one configuration.
///
/// Calls that change it run one after the other, each to its end even when its caller goes away, so that a cancelled call
/// leaves a definite state.
public actor CaptureSession {
  public nonisolated let id: String
  /// What happened, for WatchSession.
  public nonisolated let events = EventLog<SessionEvent>()
  /// Who uses it.
  public nonisolated let idle = IdleTracker()

  let devices: DeviceRegistry
  let makeOutput: OutputFactory
  let recorder: LaunchRecorder
  let settling: SettlingWatch
  let pipeline: FramePipeline
  let context: SessionOutputContext
  let logger: Logger
  /// Of the camera's frames.
  let memory: FrameMemory
  /// Of retries and of waiting for a reader.
  let clock: any Clock<Duration>
  /// How long automatic deferred start waits for readers after the first frame.
  let deferredStartLimit: Duration

  var machine = SessionStateMachine()
  var deferredStart = DeferredStart()
  /// Deferred starts under way, by number. Each value tells why it failed.
  var deferredRuns: [Int: Task<CaptureError?, Never>] = [:]
  var launch = LaunchProgress()
  var fallback: Task<Void, Never>?
  var asked = SessionConfiguration()
  var resolved = ResolvedConfiguration(
    input: nil, preset: .high, automaticallyRunsDeferredStart: true, outputs: [], zeroShutterLagWindow: 0)
  var format: StreamFormat?
  /// Of the committed configuration; nil without a camera.
  var demand: CostDemand?
  var revision: UInt64 = 0
  var outputs: [String: HostedOutput] = [:]
  var source: (any FrameSource)?
  /// The source's.
  var pool: FramePool?
  /// Tells a source's last words from those of its successors.
  var generation: UInt64 = 0
  var lastGeneration: UInt64 = 0
  /// The newest that said its last words.
  var lostGeneration: UInt64?
  /// What that interrupts the session by; nil when it ends it.
  var lostReason: InterruptionReason?
  /// What a client set, frames per second; ends with the stream.
  var activeRate: Rational?
  var lastStartError: CaptureError?
  var retrying: Task<Void, Never>?
  var schedule = RetrySchedule()
  /// A capture that waits for frames with settings of its own.
  var shotUnderWay: Task<Void, any Error>?
  /// Stops that were asked for and whose turn is still to come.
  var endsAhead = 0
  /// As told last; acted upon when it is its turn.
  var pressure: PressureDemands
  /// Whether the machine is about to be suspended, or is.
  var isSystemAsleep: Bool
  var adaptation = Adaptation()
  /// Whether the call that makes it is still about to configure it.
  var isBeingCreated: Bool
  /// Those who wait for the end of that: calls, which the server bounds.
  var creationWaiters: [CheckedContinuation<Void, Never>] = []
  private var ended: CaptureError?
  private let etagSalt = UInt32.random(in: .min ... .max)
  private var lastOperation: Task<Void, Never>?
  private let signals: AsyncStream<SessionSignal>.Continuation

  init(
    id: String, devices: DeviceRegistry, launch: LaunchTimeline, pressure: PressureDemands,
    isSystemAsleep: Bool = false, logger: Logger, clock: any Clock<Duration>, deferredStartLimit: Duration,
    memory: FrameMemory, meanLuma: @escaping LumaMeter, isBeingCreated: Bool = false,
    makeOutput: @escaping OutputFactory
  ) {
    self.isSystemAsleep = isSystemAsleep
    self.id = id
    self.isBeingCreated = isBeingCreated
    self.devices = devices
    self.memory = memory
    self.makeOutput = makeOutput
    self.clock = clock
    self.deferredStartLimit = deferredStartLimit
    self.pressure = pressure
    var logger = logger
    logger[metadataKey: "session"] = "\(id)"
    self.logger = logger
    recorder = LaunchRecorder(launch)
    // Bounded by nature: a few signals for each start. A full buffer would mean a runaway source; the newest matter.
    let (stream, signals) = AsyncStream.makeStream(of: SessionSignal.self, bufferingPolicy: .bufferingNewest(64))
    self.signals = signals
    let ring = FrameRing(limits: .init(windowNanoseconds: 0, maximumFrames: 1, maximumBytes: RingPlan.ringBudget))
    let settling = SettlingWatch(measure: meanLuma) { signals.yield(.settled($0)) }
    self.settling = settling
    pipeline = FramePipeline(ring: ring, settling: settling) {
      signals.yield(.firstFrame(captured: $0.time.monotonicNanoseconds, streamID: $0.streamID, gap: $1))
    }
    let box = WeakSession()
    context = SessionOutputContext(sessionID: id, ring: ring) {
      signals.yield(.firstSend(output: $0, at: SystemClock.monotonicNanoseconds()))
    } runDeferredStart: { () throws(CaptureError) in
      try await box.session?.runDeferredStartAndWait()
    } shoot: { shot, isWanted, take in
      guard let session = box.session else { throw CancellationError() }
      return try await session.shoot(shot, while: isWanted, take)
    }
    box.session = self
    // Ends with the stream: in `end`, or when the session goes.
    Task { [weak self] in
      for await signal in stream { await self?.handle(signal) }
    }
  }

  /// The session as it is now.
  public func snapshot() -> SessionSnapshot {
    snapshot(asked: asked, resolved: resolved, revision: revision, demand: demand)
  }

  func snapshot(
    asked: SessionConfiguration, resolved: ResolvedConfiguration, revision: UInt64, demand: CostDemand?
  ) -> SessionSnapshot {
    SessionSnapshot(
      id: id, status: machine.status, etag: etag(of: revision), configuration: asked, resolved: resolved,
      revision: revision, eventID: events.lastID, cost: costModel(for: resolved).cost(of: demand),
      adaptationSteps: adaptation.applied)
  }

  /// When each step of the newest launch happened.
  public func launchTimeline() -> LaunchTimeline { recorder.current }

  /// How many pictures its cameras damaged since it was made, counted as they come.
  public nonisolated var damagedPictures: UInt64 { pipeline.damagedPictures }

  /// The session's outputs, in no order.
  public func allOutputs() -> [any CaptureOutput] { outputs.values.map(\.output) }

  /// Starts capture; returns when the device streams. A running session stays as it is.
  ///
  /// - Throws: `noInput`, `noOutput`, and whatever the device says; `systemPressure` or `systemSuspend` when it is
  ///   interrupted at once, and will start by itself.
  public func start(requestedAt: UInt64) async throws -> SessionSnapshot {
    try await inUse { session in
      try session.checkAlive()
      try session.checkStartable(hasInput: session.resolved.input != nil, hasOutput: !session.outputs.isEmpty)
      if session.machine.status.state == .stopped {
        try session.checkCost()
        session.beginLaunch(requestedAt: requestedAt)
        session.lastStartError = nil
        session.schedule = RetrySchedule()
        await session.begin()
        if let error = session.lastStartError { throw error }
      }
      if let interruption = session.machine.status.interruption { throw session.interruptedError(interruption) }
      return session.snapshot()
    }
  }

  private func begin() async {
    guard mustRest, let device = resolved.input?.deviceID else { return await apply(.startRequested) }
    do throws(CaptureError) { try devices.claim(device, for: id) } catch { return lastStartError = error }
    await apply(.startAwaited(restError))
  }

  /// Stops capture; returns when the device is closed. A stopped session stays as it is.
  ///
  /// - Throws: `etagMismatch` unless `etag` is empty or the configuration's.
  public func stop(etag: String) async throws -> SessionSnapshot {
    idle.attach()
    defer { idle.detach() }
    return try await ending(etag: etag) { session in
      try session.checkAlive()
      try session.check(etag: etag)
      await session.apply(.stopRequested)
      return session.snapshot()
    }
  }

  /// Asks for the deferred outputs in manual mode; does nothing when they have been started.
  ///
  /// - Throws: `automaticDeferredStart`, `sessionNotRunning`.
  public func runDeferredStart() throws(CaptureError) {
    guard !resolved.automaticallyRunsDeferredStart else {
      throw CaptureError(
        .automaticDeferredStart,
        "Session \(id) runs deferred start by itself; set automatically_runs_deferred_start to false to decide when.",
        metadata: ["session": id])
    }
    guard machine.status.state == .running else { throw notRunning }
    perform(deferredStart.run())
  }

  var notRunning: CaptureError {
    CaptureError(.sessionNotRunning, "Session \(id) does not run; start it first.", metadata: ["session": id])
  }

  /// Stops for good: every stream on the session ends with `error`. The session is not to be used again.
  func end(_ error: CaptureError, etag: String) async throws {
    try await ending(etag: etag) { session in
      guard session.ended == nil else { return }
      try session.check(etag: etag)
      await session.apply(.stopRequested)
      session.ended = error
      for hosted in session.outputs.values { hosted.output.close(error) }
      session.outputs = [:]
      session.pipeline.configure(outputs: [], input: "", revision: session.revision)
      session.events.end(error)
      session.signals.finish()
    }
  }

  func etag(of revision: UInt64) -> String { String(etagSalt, radix: 16) + "-" + String(revision) }

  func check(etag: String) throws(CaptureError) {
    guard etag.isEmpty || etag == self.etag(of: revision) else {
      throw CaptureError(
        .etagMismatch, "Session \(id) was configured by somebody else; read it again and repeat the change.",
        metadata: ["session": id, "etag": etag, "current_etag": self.etag(of: revision)], field: "etag")
    }
  }

  func checkAlive() throws(CaptureError) { if let ended { throw ended } }

  /// Runs a client's call ``serially(_:)``. However long it takes, the session is not idle meanwhile.
  func inUse<R: Sendable>(
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) async throws -> R {
    idle.attach()
    defer { idle.detach() }
    return try await serially(body)
  }

  /// Runs `body` after every earlier one has ended, in a task of its own so that the caller's cancellation cannot
  /// break it off half-way.
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
    let previous = lastOperation
    let task = Task {
      await previous?.value
      return try await body(self)
    }
    lastOperation = Task { _ = await task.result }
    return task
  }

  /// Returns when all that other threads have told so far is handled.
  func drainSignals() async {
    await withCheckedContinuation { continuation in
      if case .terminated = signals.yield(.mark(continuation)) { continuation.resume() }
    }
  }

  nonisolated func makeTap(generation: UInt64) -> SourceTap {
    SourceTap(pipeline: pipeline) { [signals] in
      signals.yield(.sourceStalled(generation: generation, $0))
    } onEnd: { [signals] in
      signals.yield(.sourceEnded(generation: generation, $0))
    }
  }

  func checkStartable(hasInput: Bool, hasOutput: Bool) throws(CaptureError) {
    switch (hasInput, hasOutput) {
    case (true, true): break
    case (false, false):
      throw incomplete(.noInput, "has neither a camera nor an output; configure both first", missing: "input, output")
    case (false, true): throw incomplete(.noInput, "has no camera; configure an input first", missing: "input")
    case (true, false):
      throw incomplete(.noOutput, "has no output; configure a preview or a photo output first", missing: "output")
    }
  }

  private func incomplete(_ reason: CaptureError.Reason, _ what: String, missing: String) -> CaptureError {
    CaptureError(reason, "Session \(id) \(what).", metadata: ["session": id, "missing": missing])
  }

  /// The error that interrupted the session; its message may say how to mend the cause.
  private func interruptedError(_ reason: InterruptionReason) -> CaptureError {
    let until: String
    switch reason {
    case .systemPressure: return restError
    case .systemSuspend: return suspendError
    case .deviceInUse: until = "when its camera is free"
    case .deviceDisconnected where machine.cause?.reason == .deviceAccessDenied: until = "when its camera may be opened"
    case .deviceDisconnected: until = "when its camera is back"
    case .deviceStalled: until = "when its camera, which is connected, delivers again"
    }
    guard var error = machine.cause.map(Self.since) else { return notRunning }
    error.message = "Session \(id) is interrupted and resumes by itself \(until). \(error.message)"
    error.metadata["session"] = id
    error.metadata["device"] = error.metadata["device"] ?? resolved.input?.deviceID ?? ""
    error.field = nil
    return error
  }
}

/// What other threads tell a session.
enum SessionSignal: Sendable {
  /// Of a stream; `gap` is as ``SessionEvent/streamChanged(streamID:gapNanoseconds:)`` tells it, nil when no stream was before it.
  case firstFrame(captured: UInt64, streamID: UInt64, gap: UInt64?)
  /// Nil when the exposure never settled.
  case settled(Frame?)
  case firstSend(output: String, at: UInt64)
  case sourceStalled(generation: UInt64, CaptureError)
  case sourceEnded(generation: UInt64, CaptureError)
  /// Somebody waits for everything told before.
  case mark(CheckedContinuation<Void, Never>)
}

/// Set once, before anybody can call: breaks the circle between a session and the context its outputs hold.
private final class WeakSession: @unchecked Sendable {
  weak var session: CaptureSession?
}

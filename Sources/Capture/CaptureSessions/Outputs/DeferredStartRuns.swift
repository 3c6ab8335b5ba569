internal import CaptureCore
internal import SystemClocks

/// Carries out the actions that ``DeferredStart`` returns: prepares the deferred outputs, and limits the wait for the
/// readers of the other outputs.
///
/// Belongs to the session's actor.
final class DeferredStartRuns {
  private let outputs: SessionOutputs
  private let port: SessionPort
  private let clock: any Clock<Duration>
  /// How long automatic deferred start waits for readers after the first frame.
  private let limit: Duration
  private var decision = DeferredStart()
  /// The runs under way, by number. The value of each task is the error of the run; nil when it succeeded.
  private var runs: [Int: Task<CaptureError?, Never>] = [:]
  private(set) var fallback: Task<Void, Never>?

  init(
    outputs: SessionOutputs, port: SessionPort, clock: any Clock<Duration>, limit: Duration
  ) {
    self.outputs = outputs
    self.port = port
    self.clock = clock
    self.limit = limit
  }

  /// Whether no output is deferred, or all deferred outputs are prepared.
  var isOver: Bool { decision.isOver }

  /// Takes over a commit.
  func commit(_ resolved: ResolvedConfiguration, isRunning: Bool, hasFrame: Bool, in session: isolated CaptureSession) {
    cancelFallback()
    let deferred = Set(resolved.deferredOutputs)
    let triggers = resolved.outputs.filter {
      $0.streamsToReaders && $0.connection?.isEnabled == true && !resolved.isDeferred(at: $0.camera)
    }
    perform(
      decision.commit(
        deferred: resolved.deferredOutputs.filter { outputs.hosted[$0]?.isPrepared == false },
        cameras: session.cameras.contains(where: session.isDeferred),
        areClosed: session.cameras.contains { session.isDeferred($0) && $0.status.state == .stopped },
        triggers: Set(triggers.map(\.id)).subtracting(deferred), automatic: resolved.automaticallyRunsDeferredStart,
        isRunning: isRunning, hasFrame: hasFrame, read: outputs.read),
      in: session)
  }

  func sessionStarted(hasFrame: Bool, in session: isolated CaptureSession) {
    perform(decision.sessionStarted(hasFrame: hasFrame, read: outputs.read), in: session)
  }

  func sessionStopped() {
    decision.sessionStopped()
    cancelFallback()
  }

  func firstFrameCaptured(in session: isolated CaptureSession) { perform(decision.firstFrameCaptured(), in: session) }

  func frameSent(from output: String, in session: isolated CaptureSession) {
    perform(decision.frameSent(from: output, read: outputs.read), in: session)
  }

  /// Runs deferred start unless it ran since the commit.
  func run(in session: isolated CaptureSession) { perform(decision.run(), in: session) }

  /// Runs deferred start like ``run(in:)``, and waits for its end.
  ///
  /// - Throws: why an output could not be prepared.
  func runAndWait(in session: isolated CaptureSession) async throws(CaptureError) {
    run(in: session)
    var failure: CaptureError?
    for run in Array(runs.values) {
      let ended = await run.value
      failure = failure ?? ended
    }
    if let failure { throw failure }
  }

  /// Returns when no run is under way.
  nonisolated(nonsending) func waitForEnd() async {
    while let run = runs.values.first { _ = await run.value }
  }

  private func perform(_ actions: [DeferredStart.Action], in session: isolated CaptureSession) {
    for action in actions {
      switch action {
      case .emit(let event): tell(event, in: session)
      case .prepare(let ids, let run):
        cancelFallback()
        // The priority is below the priority of clients' calls, so that a preview that a viewer watches goes first.
        runs[run] = Task(priority: .utility) { await self.prepare(ids, run, in: session) }
      case .armFallback:
        cancelFallback()
        fallback = Task { [weak session, clock, limit] in
          guard (try? await clock.sleep(for: limit)) != nil else { return }
          await session?.deferredStartLimitPassed()
        }
      }
    }
  }

  /// Runs deferred start because the limit on the wait for readers has passed.
  ///
  /// - Parameter isRunning: whether the session runs. An interrupted session prepares nothing; its next first frame
  ///   starts the timer again.
  func limitPassed(isRunning: Bool, in session: isolated CaptureSession) {
    guard !Task.isCancelled else { return }
    fallback = nil
    if isRunning { perform(decision.fallbackFired(), in: session) }
  }

  /// Stops the timer. The timer of a former start or commit must not run the deferred outputs of the next one.
  private func cancelFallback() {
    fallback?.cancel()
    fallback = nil
  }

  private func prepare(_ ids: [String], _ run: Int, in session: isolated CaptureSession) async -> CaptureError? {
    var failure: CaptureError?
    // The run does not wait for the cameras: they open in the order of the session's calls, and a commit, which is such
    // a call, waits for the end of the run.
    session.enqueue { await $0.openDeferredCameras() }
    let resolved = session.committed.resolved
    // The run waits for all outputs of these cameras, because a capture that asked for the run goes on at its end.
    let wanted = resolved.outputs.filter { ids.contains($0.id) || resolved.isDeferred(at: $0.camera) }
    do throws(CaptureError) {
      try await outputs.prepare(wanted.compactMap { outputs.hosted[$0.id] }, of: resolved, in: session)
    } catch { failure = error }
    runs[run] = nil
    perform(decision.ended(run, failure), in: session)
    return failure
  }

  private func tell(_ event: SessionEvent, in session: isolated CaptureSession) {
    let now = MonotonicInstant.now()
    switch event {
    case .willRunDeferredStart: port.timeline.record { $0.deferredStart = .init(begin: now) }
    case .didRunDeferredStart: port.timeline.record { $0.deferredStart.end = now }
    default: break
    }
    port.events.append(event)
    if case .didRunDeferredStart = event { session.launch.tell() }
  }
}

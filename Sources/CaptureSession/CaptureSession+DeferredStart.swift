internal import CaptureCore

/// Preparing outputs, at once or later.
extension CaptureSession {
  func perform(_ actions: [DeferredStart.Action]) {
    for action in actions {
      switch action {
      case .emit(let event): emit(event)
      case .prepare(let outputs, let run):
        cancelFallback()
        // Below the calls of clients: the preview that is being watched goes first.
        deferredRuns[run] = Task(priority: .utility) { await self.prepareDeferred(outputs, run) }
      case .armFallback:
        cancelFallback()
        fallback = Task { [weak self, clock, deferredStartLimit] in
          guard (try? await clock.sleep(for: deferredStartLimit)) != nil else { return }
          await self?.fallbackFired()
        }
      }
    }
  }

  /// A timer of a former start or commit must not run the next one's deferred outputs.
  func cancelFallback() {
    fallback?.cancel()
    fallback = nil
  }

  private func fallbackFired() {
    guard !Task.isCancelled else { return }
    fallback = nil
    // An interrupted session makes nothing ready; the next first frame arms this anew.
    guard machine.status.state == .running else { return }
    perform(deferredStart.fallbackFired())
  }

  /// Returns when no deferred start is under way.
  func deferredStartEnded() async {
    while let run = deferredRuns.values.first { _ = await run.value }
  }

  private func emit(_ event: SessionEvent) {
    let now = SystemClock.monotonicNanoseconds()
    switch event {
    case .willRunDeferredStart:
      recorder.record { timeline in
        timeline.deferredStartBegin = now
        timeline.deferredStartEnd = nil
      }
    case .didRunDeferredStart: recorder.record { $0.deferredStartEnd = now }
    default: break
    }
    events.append(event)
    if case .didRunDeferredStart = event { tellLaunch() }
  }

  private func prepareDeferred(_ ids: [String], _ run: Int) async -> CaptureError? {
    var failure: CaptureError?
    do throws(CaptureError) {
      try await prepare(ids.compactMap { outputs[$0] }, on: resolved.input?.deviceID)
    } catch { failure = error }
    deferredRuns[run] = nil
    perform(deferredStart.ended(run, failure))
    return failure
  }

  /// Prepares outputs side by side, those that are not prepared; waits for those that somebody else prepares.
  ///
  /// - Parameter device: the camera they are for.
  /// - Throws: when all have ended, why the first that failed did.
  func prepare(_ hosted: [HostedOutput], on device: String?) async throws(CaptureError) {
    // Each begins before the first is waited for.
    let preparations = hosted.filter { !$0.isPrepared }.map { $0.preparation ?? beginPreparation(of: $0, on: device) }
    var failure: CaptureError?
    for preparation in preparations {
      if case .failure(let error) = await preparation.value, failure == nil { failure = error }
    }
    if let failure { throw failure }
  }

  private func beginPreparation(
    of hosted: HostedOutput, on device: String?
  ) -> Task<Result<Void, CaptureError>, Never> {
    let (id, output) = (hosted.configuration.id, hosted.output)
    recorder.record { $0.outputs[id] = .init(begin: SystemClock.monotonicNanoseconds()) }
    let task = Task { () -> Result<Void, CaptureError> in
      defer { hosted.preparation = nil }
      // A preview makes its encoders when somebody watches: there is nothing in its preparation to be slow.
      if let device, !hosted.configuration.kind.isPreview {
        let delay = await devices.initDelay(ofOutput: id, on: device)
        if delay > .zero { try? await clock.sleep(for: delay) }
      }
      do throws(CaptureError) { try await output.prepare() } catch { return .failure(error) }
      hosted.isPrepared = true
      recorder.record { $0.outputs[id]?.end = SystemClock.monotonicNanoseconds() }
      return .success(())
    }
    hosted.preparation = task
    return task
  }

  /// For a capture that needs a deferred output: runs deferred start unless it ran, and waits for its end.
  ///
  /// - Throws: `sessionNotRunning` when a stop came before this; why an output could not be prepared.
  func runDeferredStartAndWait() async throws(CaptureError) {
    guard machine.status.state != .stopped else { throw notRunning }
    perform(deferredStart.run())
    var failure: CaptureError?
    for run in Array(deferredRuns.values) {
      let ended = await run.value
      failure = failure ?? ended
    }
    if let failure { throw failure }
  }
}

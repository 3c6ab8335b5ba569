internal import CaptureCore
internal import Logging

/// Carrying out what the state machine decides.
extension CaptureSession {
  func apply(_ event: SessionStateMachine.Event) async {
    for action in machine.handle(event) { await perform(action) }
  }

  private func perform(_ action: SessionStateMachine.Action) async {
    switch action {
    case .openSource: await open()
    case .closeSource:
      await source?.stop()
      source = nil
      await apply(.sourceStopped)
    case .beginRetrying: beginRetrying()
    case .endRetrying:
      retrying?.cancel()
      retrying = nil
    case .emit(let event): await emit(event)
    }
  }

  private func emit(_ event: SessionEvent) async {
    events.append(event)
    logger.info("session event", metadata: ["event": "\(event)"])
    guard case .stateChanged(let status) = event else { return }
    context.setStatus(status)
    for hosted in outputs.values { hosted.output.sessionDidChange(status) }
    if status.state == .stopped {
      pipeline.ring.removeAll()
      deferredStart.sessionStopped()
      await devices.release(from: id)
    }
  }

  /// Opens the device of the present configuration and tells the state machine how it went.
  private func open() async {
    guard let input = resolved.input else { return }
    do {
      try await devices.claim(input.deviceID, for: id)
      try await prepareUndeferred()
      expectFirstFrames()
      try await startSource(input)
      await apply(.sourceStarted(streamID: source?.streamID ?? 0))
      perform(deferredStart.sessionStarted(hasFrame: pipeline.ring.newest != nil))
    } catch {
      var error = error
      // It was there at the commit, so it went away since.
      if error.reason == .deviceNotFound { error.reason = .deviceDisconnected }
      lastStartError = error
      await apply(.startFailed(error))
    }
  }

  /// Starts a source for `input`; the present one must be stopped.
  func startSource(_ input: ResolvedConfiguration.Input) async throws(CaptureError) {
    let format: StreamFormat
    if let known = self.format {
      format = known
    } else {
      format = try await devices.resolve(input.request, on: input.deviceID)
    }
    let plan = RingPlan(window: resolved.zeroShutterLagWindow, format: format)
    pipeline.ring.setLimits(plan.limits)
    generation += 1
    source = try await devices.start(
      input.request, on: input.deviceID, pool: FramePool(budget: plan.poolBudget, kept: plan.ringBytes),
      sink: makeTap(generation: generation))
    self.format = source?.format
  }

  private func prepareUndeferred() async throws(CaptureError) {
    let deferred = Set(resolved.deferredOutputs)
    for id in outputs.keys.sorted() where !deferred.contains(id) { try await prepare(id) }
  }

  /// Waits for the first frame sent by each undeferred output that streams to readers.
  func expectFirstFrames() { context.awaitFirstSend(of: streamingOutputs()) }

  func streamingOutputs() -> Set<String> {
    let deferred = Set(resolved.deferredOutputs)
    let streaming = resolved.outputs.filter { $0.kind == .preview && $0.connection?.isEnabled == true }
    return Set(streaming.map(\.id)).subtracting(deferred)
  }

  private func beginRetrying() {
    retrying = Task { [weak self] in
      // The device announces itself by being listed; half a second is well below what a re-plugged camera needs to start.
      while (try? await Task.sleep(for: .milliseconds(500))) != nil { await self?.retry() }
    }
  }

  private func retry() async {
    try? await serially { session in
      guard session.machine.status.state == .interrupted, let input = session.resolved.input else { return }
      guard (try? await session.devices.device(input.deviceID)) != nil else { return }
      await session.open()
    }
  }

  func handle(_ signal: SessionSignal) async {
    switch signal {
    case .firstFrame(let captured):
      recorder.record { if $0.firstFrameCaptured == nil { $0.firstFrameCaptured = captured } }
      perform(deferredStart.firstFrameCaptured())
    case .firstSend(let output, let instant):
      recorder.record { if $0.firstFrameSent == nil { $0.firstFrameSent = instant } }
      perform(deferredStart.frameSent(from: output))
    case .sourceEnded(let ended, let error):
      try? await serially { session in
        // A source that was replaced or stopped meanwhile has nothing to say any more.
        guard ended == session.generation, session.source != nil else { return }
        await session.apply(.sourceLost(error))
      }
    }
  }
}

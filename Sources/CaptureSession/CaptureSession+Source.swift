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
      endLaunch()
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
      expectFirstFrames(notOf: pipeline.newestStream)
      try await startSource(input)
      await apply(.sourceStarted(streamID: source?.streamID ?? 0))
      noteStarted()
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

  func prepareUndeferred() async throws(CaptureError) {
    let deferred = Set(resolved.deferredOutputs)
    if let failure = await prepare(outputs.keys.sorted().filter { !deferred.contains($0) }) { throw failure }
  }

  /// Waits for the first frame sent by each output that streams to readers.
  func expectFirstFrames(notOf formerStream: UInt64? = nil) {
    let streaming = resolved.outputs.filter(\.kind.streamsToReaders).map(\.id)
    context.awaitFirstSend(of: Set(streaming), notOf: formerStream)
  }

  /// The outputs whose first frames deferred start waits for.
  func streamingOutputs() -> Set<String> {
    let deferred = Set(resolved.deferredOutputs)
    return Set(resolved.outputs.filter { $0.kind.streamsToReaders && !deferred.contains($0.id) }.map(\.id))
  }

  private func beginRetrying() {
    retrying = Task { [weak self] in
      // The device announces itself by being listed; half a second is well below what a re-plugged camera needs to start.
      while (try? await Task.sleep(for: .milliseconds(500))) != nil { await self?.retry() }
    }
  }

  private func retry() async {
    try? await serially { session in
      guard session.machine.status.state == .interrupted,
        let device = session.resolved.input?.deviceID ?? session.asked.inputs.first?.deviceID,
        (try? await session.devices.device(device)) != nil
      else { return }
      do { try await session.resolveAwaited() } catch let error as CaptureError {
        return await session.apply(.startFailed(error))
      }
      await session.open()
    }
  }

  func handle(_ signal: SessionSignal) async {
    switch signal {
    case .firstFrame(let captured, let streamID):
      noteFirstFrame(captured: captured, streamID: streamID)
      perform(deferredStart.firstFrameCaptured())
    case .firstSend(let output, let instant):
      noteFirstSend(from: output, at: instant)
      perform(deferredStart.frameSent(from: output))
    case .settled(let frame): noteSettled(frame)
    case .sourceEnded(let ended, let error):
      try? await serially { session in
        // A source that was replaced or stopped meanwhile has nothing to say any more.
        guard ended == session.generation, session.source != nil else { return }
        await session.apply(.sourceLost(error))
      }
    }
  }
}

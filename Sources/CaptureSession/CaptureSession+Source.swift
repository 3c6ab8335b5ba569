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
      await stopSource()
      await apply(.sourceStopped)
    case .beginRetrying: beginRetrying()
    case .retry: await retryNow()
    case .endRetrying:
      retrying?.cancel()
      retrying = nil
    case .emit(let event): emit(event)
    }
  }

  private func emit(_ event: SessionEvent) {
    if case .stateChanged(let status) = event {
      // Before anybody hears that it is stopped: whoever does may start another session on the camera.
      if status.state == .stopped {
        endLaunch()
        pipeline.endRun()
        deferredStart.sessionStopped()
        cancelFallback()
        devices.release(from: id)
      }
      schedule.interruptionChanged(from: context.status.interruption, to: status.interruption)
      context.setStatus(status)
      for hosted in outputs.values { hosted.output.sessionDidChange(status) }
    }
    events.append(event)
    logger.info("session event", metadata: ["event": "\(event)"])
  }

  /// Opens the device of the present configuration and tells the state machine how it went.
  private func open() async {
    guard let input = resolved.input else { return }
    do {
      try devices.claim(input.deviceID, for: id)
      try await prepareUndeferred()
      expectFirstFrames(notOf: pipeline.newestStream)
      try await startSource(input, window: resolved.zeroShutterLagWindow, format: format)
      takeConfirmedRate()
      await apply(.sourceStarted(streamID: source?.streamID ?? 0))
      noteStarted()
      await noteFrame(of: pipeline.newestStream)
      perform(deferredStart.sessionStarted(hasFrame: pipeline.ring.newest != nil, read: readOutputs()))
    } catch {
      let error = Self.since(error)
      lastStartError = error
      await apply(.startFailed(error))
    }
  }

  /// A device that was there at the commit and is not known now went away since.
  static func since(_ error: CaptureError) -> CaptureError {
    guard error.reason == .deviceNotFound else { return error }
    return CaptureError(.deviceDisconnected, error.message, metadata: error.metadata, field: error.field)
  }

  /// Starts a source for `input`; the present one must be stopped.
  ///
  /// - Parameters:
  ///   - window: how far back the ring reaches, nanoseconds.
  ///   - format: what the device said it will deliver; nil asks it.
  ///   - patience: nil is as long as the schedule says.
  func startSource(
    _ input: ResolvedConfiguration.Input, window: UInt64, format: StreamFormat?, patience: StallPatience? = nil
  ) async throws(CaptureError) {
    var expected = format
    if expected == nil { expected = try await devices.resolve(input.request, on: input.deviceID) }
    guard let expected else { return }
    let plan = ringPlan(window: window, format: expected)
    pipeline.ring.setLimits(plan.limits)
    lastGeneration += 1
    let generation = lastGeneration
    let pool = FramePool(budget: plan.poolBudget, kept: plan.ringBytes, memory: memory)
    var request = input.request
    request.patience = patience ?? schedule.patience
    do throws(CaptureError) {
      source = try await devices.start(
        request, on: input.deviceID, pool: pool, sink: makeTap(generation: generation))
    } catch {
      throw await explained(error, starting: input)
    }
    // Not before: what a source that still runs says of itself must be heard when another does not start.
    self.generation = generation
    self.pool = pool
    setRates()
  }

  /// Closes the device and lets go of its frames: later ones must not be taken for those.
  func stopSource() async {
    await source?.stop()
    source = nil
    // Whoever still holds one of its frames must not keep the memory of all others.
    pool?.setBounds(budget: 0, kept: 0)
    pool = nil
    activeRate = nil
    pipeline.ring.removeAll()
  }

  /// What a running source's frames may take. A ring that grew beyond its pool would hold all of it for ever.
  func setMemory(_ plan: RingPlan) {
    pool?.setBounds(budget: plan.poolBudget, kept: plan.ringBytes)
    pipeline.ring.setLimits(plan.limits)
  }

  private func prepareUndeferred() async throws(CaptureError) {
    let deferred = Set(resolved.deferredOutputs)
    let undeferred = resolved.outputs.filter { !deferred.contains($0.id) }
    try await prepare(undeferred.compactMap { outputs[$0.id] }, on: resolved.input?.deviceID)
  }

  /// Waits for the first frame sent by each output that streams to readers.
  func expectFirstFrames(notOf formerStream: UInt64? = nil) {
    let streaming = resolved.outputs.filter(\.kind.streamsToReaders).map(\.id)
    context.awaitFirstSend(of: Set(streaming), notOf: formerStream)
  }

  /// The outputs whose first frames deferred start waits for, while they have readers.
  func streamingOutputs() -> Set<String> {
    let deferred = Set(resolved.deferredOutputs)
    let streaming = resolved.outputs.filter { $0.kind.streamsToReaders && $0.connection?.isEnabled == true }
    return Set(streaming.map(\.id)).subtracting(deferred)
  }

  /// The outputs that somebody reads now.
  func readOutputs() -> Set<String> {
    Set(outputs.filter { $0.value.output.counts.map { $0.readers > 0 } ?? false }.keys)
  }

  private func beginRetrying() {
    retrying?.cancel()
    retrying = Task { [weak self, clock] in
      while (try? await clock.sleep(for: RetrySchedule.tick)) != nil { await self?.retry() }
    }
  }

  private func retry() async { try? await serially { await $0.retryNow() } }

  private func retryNow() async {
    guard machine.status.state == .interrupted, !machine.hasSource, !mustRest,
      let device = resolved.input?.deviceID ?? asked.inputs.first?.deviceID
    else { return }
    // Hot-plug tells when it is back. To look at all cameras at each tick would cost the machine thousands of system calls.
    do throws(CaptureError) { try await devices.checkPresence(of: device) } catch {
      return await apply(.startFailed(Self.since(error)))
    }
    do { try await resolveAwaited() } catch {
      if let error = error as? CaptureError { await apply(.startFailed(error)) }
      return
    }
    // A commit adapts to pressure, and may have started it.
    guard machine.status.state == .interrupted, schedule.isDue(for: machine.status.interruption) else { return }
    await open()
  }

  private func noteLoss(of generation: UInt64, _ error: CaptureError) {
    if generation >= lostGeneration ?? 0 { (lostGeneration, lostReason) = (generation, InterruptionReason(error)) }
    // A capture would wait for frames that do not come, and what is done about it would wait for the capture.
    if generation == self.generation { shotUnderWay?.cancel() }
  }

  /// A camera that stalled runs again with its first frame.
  private func noteFrame(of streamID: UInt64) async {
    guard machine.awaitsFrame, source?.streamID == streamID, streamID != 0 else { return }
    schedule.delivers(at: SystemClock.monotonicNanoseconds())
    await apply(.frameArrived(streamID: streamID))
  }

  func handle(_ signal: SessionSignal) async {
    switch signal {
    case .firstFrame(let captured, let streamID, let gap):
      noteFirstFrame(captured: captured, streamID: streamID)
      if let gap { emit(.streamChanged(streamID: streamID, gapNanoseconds: gap)) }
      // While its camera is being started, the session looks by itself. Before the deferred start, whose timer would be in vain
      // if it fired while the session is still interrupted.
      if machine.awaitsFrame { try? await serially { await $0.noteFrame(of: streamID) } }
      perform(deferredStart.firstFrameCaptured())
    case .firstSend(let output, let instant):
      noteFirstSend(from: output, at: instant)
      perform(deferredStart.frameSent(from: output, read: readOutputs()))
    case .settled(let frame): noteSettled(frame)
    case .sourceStalled(let stalled, let error):
      noteLoss(of: stalled, error)
      try? await serially { session in
        guard stalled == session.generation, session.source != nil else { return }
        if session.machine.status.state == .running {
          session.schedule.stalled(at: SystemClock.monotonicNanoseconds())
        }
        await session.apply(.sourceStalled(error))
      }
    case .sourceEnded(let ended, let error):
      noteLoss(of: ended, error)
      try? await serially { session in
        // A source that was replaced or stopped meanwhile has nothing to say any more.
        guard ended == session.generation, session.source != nil else { return }
        await session.apply(.sourceLost(error))
      }
    case .mark(let waiter): waiter.resume()
    }
  }
}

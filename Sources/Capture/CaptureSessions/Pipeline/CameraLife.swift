internal import CaptureCore
internal import Logging
internal import SystemClocks

/// Carries out the actions that the state machine of a camera returns, using the parts of the session.
struct CameraLife {
  private let pipeline: CameraPipeline
  private let port: SessionPort
  private let devices: DeviceRegistry
  private let outputs: SessionOutputs
  private let deferredStart: DeferredStartRuns
  private let launch: LaunchReport

  init(_ pipeline: CameraPipeline, in session: isolated CaptureSession) {
    self.pipeline = pipeline
    port = session.port
    devices = session.devices
    outputs = session.outputs
    deferredStart = session.deferredStart
    launch = session.launch
  }

  func apply(_ event: CameraStateMachine.Event, in session: isolated CaptureSession) async {
    for action in pipeline.handle(event) {
      switch action {
      case .openSource: await open(in: session)
      case .closeSource:
        await pipeline.stop()
        await apply(.sourceStopped, in: session)
      case .beginRetrying: beginRetrying(in: session)
      case .retry: await retry(in: session)
      case .endRetrying: pipeline.retries.stop()
      case .emit(let report): tell(report, in: session)
      }
    }
    session.followMicrophones()
  }

  /// Lets a camera that a commit adds wait until the cause is over. Unlike ``apply(_:in:)`` the method never suspends,
  /// because a camera that begins to wait is neither opened nor closed.
  func wait(for cause: CaptureError, in session: isolated CaptureSession) {
    for action in pipeline.handle(.startAwaited(cause)) {
      switch action {
      case .beginRetrying: beginRetrying(in: session)
      case .emit(let report): tell(report, in: session)
      case .openSource, .closeSource, .retry, .endRetrying: break
      }
    }
  }

  private func beginRetrying(in session: isolated CaptureSession) {
    pipeline.retries.start { [weak session, index = pipeline.index] in
      try? await session?.serially { await CameraLife($0.pipelines[index], in: $0).retry(in: $0) }
    }
  }

  private func tell(_ report: CameraStateMachine.Report, in session: isolated CaptureSession) {
    let input = session.committed.inputID(at: pipeline.index)
    switch report {
    case .stateChanged(let status):
      if status.state == .stopped {
        pipeline.frames.endRun()
        pipeline.frames.settling?.end()
        // A session that goes on without the camera keeps it claimed.
        if let device = session.committed.sourceID(at: pipeline.index) {
          devices.noteClosed(device, by: port.sessionID)
        }
      }
      // Before any watcher or reader learns that the session stopped, it releases its cameras, because a client may
      // then start another session on the same camera at once.
      let isNew = session.noteStatus()
      outputs.setStatus(status, of: pipeline, by: session.committed)
      if session.committed.resolved.inputs.count > 1 { tellInput(in: session) }
      if isNew { session.tellStatus() }
    case .wasInterrupted(let reason, let error): port.tell(.wasInterrupted(reason, error, input: input))
    case .interruptionEnded(let streamID): port.tell(.interruptionEnded(streamID: streamID, input: input))
    case .runtimeError(let error): port.tell(.runtimeError(error, input: input))
    }
  }

  /// Tells watchers the state of the camera, if it is one of several of the session.
  func tellInput(in session: isolated CaptureSession) {
    guard session.committed.resolved.inputs.count > 1, let input = session.committed.input(at: pipeline.index) else {
      return
    }
    port.tell(.inputChanged(pipeline.inputStatus(of: input, in: session.status.state, isAlone: false)))
  }

  /// Opens the camera of the present configuration, and reports success or failure to the state machine.
  private func open(in session: isolated CaptureSession) async {
    guard let input = session.committed.input(at: pipeline.index) else { return }
    launch.noteOpening(of: input.id)
    do {
      try devices.claim(input, for: port.sessionID)
      try await outputs.prepareUndeferred(of: pipeline, by: session.committed, in: session)
      outputs.expectFirstFrames(of: pipeline, by: session.committed)
      try await pipeline.start(by: session.committed)
      launch.noteStarted(input.id)
      pipeline.startError = nil
      takeConfirmedRate(in: session)
      await apply(.sourceStarted(streamID: pipeline.running?.source.streamID ?? 0), in: session)
      // With several cameras, the start returns when all of them have started.
      if !session.isLaunching { launch.noteStarted() }
      await noteFrame(of: pipeline.frames.newestStream, in: session)
      deferredStart.sessionStarted(hasFrame: session.hasFrame, in: session)
    } catch {
      pipeline.startError = error.sinceCommit
      if error.sinceCommit.reason == .noSignal { pipeline.schedule.foundNoSignal() }
      await apply(.startFailed(error.sinceCommit), in: session)
    }
  }

  /// Opens the camera if it waits and nothing keeps it from running.
  func retry(in session: isolated CaptureSession) async {
    guard pipeline.status.state == .interrupted, !pipeline.life.hasSource, session.rest(of: pipeline) == nil,
      let device = session.committed.sourceID(at: pipeline.index)
    else { return }
    do throws(CaptureError) {
      // Hot-plug events report the return of a camera. Asking all cameras at each tick would cost thousands of system
      // calls.
      let isUnresolved = session.committed.resolved.inputs.isEmpty
      let own = session.committed.isDerived(at: pipeline.index) ? [] : [device]
      for camera in isUnresolved ? session.awaitedCameras : own {
        if camera != device, await devices.microphones.microphone(camera) != nil { continue }
        try await devices.checkPresence(of: camera)
      }
    } catch { return await apply(.startFailed(error.sinceCommit), in: session) }
    // Another format is looked for as rarely as the camera is opened, because the look asks all cameras.
    let lostFormat = pipeline.lostFormat
    if lostFormat, !pipeline.schedule.isDue(for: pipeline.status.interruption) { return }
    do { try await session.resolveAwaited(lostFormat: lostFormat) } catch {
      if let error = error as? CaptureError { await apply(.startFailed(error), in: session) }
      return
    }
    // The commit in `resolveAwaited()` adapts to pressure, which may have started the camera already.
    guard pipeline.status.state == .interrupted,
      lostFormat || pipeline.schedule.isDue(for: pipeline.status.interruption)
    else { return }
    await open(in: session)
  }

  /// Tells the state machine about the first frame of a camera that had stalled, which ends the interruption.
  func noteFrame(of streamID: UInt64, in session: isolated CaptureSession) async {
    guard pipeline.life.awaitsFrame, pipeline.running?.source.streamID == streamID, streamID != 0 else { return }
    pipeline.schedule.delivers(at: .now())
    await apply(.frameArrived(streamID: streamID), in: session)
  }

  /// Takes over the rate that the driver confirmed when the stream started.
  func takeConfirmedRate(in session: isolated CaptureSession) {
    guard !session.committed.isDerived(at: pipeline.index), let format = pipeline.running?.source.format,
      session.take(format, at: pipeline.index)
    else { return }
    session.expectConfirmedFormats()
    let asked = session.committed.input(at: pipeline.index)?.request.frameRate
    port.logger.info(
      "The driver set another frame rate.",
      metadata: ["rate.asked": "\(asked.map { "\($0)" } ?? "")", "rate.set": "\(format.frameRate)"])
    pipeline.setMemory(by: session.committed)
    session.followDerivedInputs()
    session.cost.tell()
  }

  /// Takes and undoes the steps of the ladder that the present pressure demands. All limits are in force before
  /// watchers learn of the first step.
  func followLadder(in session: isolated CaptureSession) {
    let committed = session.committed
    let demand = session.conditions.pressure.demand(of: committed.input(at: pipeline.index)?.sourceID)
    let changes = pipeline.adapt(
      to: committed.resolved.adaptationPolicy == .server ? demand.steps : [], by: committed)
    guard !changes.isEmpty else { return }
    outputs.update(of: pipeline, by: committed) { $0.limits = pipeline.adaptation.pictures }
    let input = committed.inputID(at: pipeline.index)
    for change in changes {
      switch change {
      case .apply(let step): port.events.append(.adaptationApplied(step, demand.level, demand.causes, input: input))
      case .undo(let step): port.events.append(.adaptationUndone(step, demand.level, demand.causes, input: input))
      }
    }
    port.logger.info(
      "The session adapted to system pressure.",
      metadata: ["pressure.level": "\(demand.level)", "pressure.steps": "\(pipeline.adaptation.applied.count)"])
  }
}

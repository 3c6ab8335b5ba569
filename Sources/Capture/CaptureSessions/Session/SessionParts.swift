internal import CaptureCore
internal import Logging
internal import SystemClocks

/// The parts of a session, connected with one another.
struct SessionParts {
  let port: SessionPort
  let devices: DeviceRegistry
  let pipelines: [CameraPipeline]
  let outputs: SessionOutputs
  let microphones: SessionMicrophones
  let deferredStart: DeferredStartRuns
  let launch: LaunchReport
  let shots: ShotRuns

  /// The things that the daemon gives to each of its sessions.
  struct Environment: Sendable {
    let devices: DeviceRegistry
    let logger: Logger
    /// Times the delays that sessions observe, such as the pauses between retries.
    let clock: any Clock<Duration>
    /// How long automatic deferred start waits for readers after the first frame.
    let deferredStartLimit: Duration
    /// Holds the cameras' frames.
    let memory: FrameMemory
    let meanLuma: LumaMeter
    let makeComposition: CompositionMaker
    let makeOutput: OutputFactory
  }
}

extension SessionParts.Environment {
  /// Makes a stopped session without a configuration.
  ///
  /// - Parameters:
  ///   - launch: a launch timeline with the times of the daemon.
  ///   - isBeingCreated: whether the call that creates the session has yet to configure it.
  ///   - onDemand: for a session that starts on demand, how long after its last viewer has left it stops; else nil.
  ///   - isDeclared: whether the configuration file declares the session.
  func makeSession(
    id: String, launch: LaunchTimeline, conditions: SystemConditions, isBeingCreated: Bool, onDemand: Duration?,
    isDeclared: Bool
  ) -> CaptureSession {
    // A start brings only a few signals, so the buffer does not fill up. Only a source that reports without end could
    // fill it; the newest signals then matter most.
    let (stream, signals) = AsyncStream.makeStream(of: SessionSignal.self, bufferingPolicy: .bufferingNewest(64))
    let parts = SessionParts(id, self, launch, signals, onDemand)
    let context = parts.outputs.context
    let session = CaptureSession(
      parts, conditions: conditions, isBeingCreated: isBeingCreated, isDeclared: isDeclared)
    context.session = session
    // The task ends with the stream of signals: when the session ends or is deallocated.
    Task { [weak session] in
      for await signal in stream { await session?.handle(signal) }
    }
    return session
  }
}

extension SessionParts {
  fileprivate init(
    _ id: String, _ environment: Environment, _ timeline: LaunchTimeline,
    _ signals: AsyncStream<SessionSignal>.Continuation, _ onDemand: Duration?
  ) {
    let clock = environment.clock
    devices = environment.devices
    let derivedInputs = DerivedInputs(makeComposition: environment.makeComposition)
    pipelines = (0..<SessionConfiguration.maximumCameras).map { [devices] index in
      CameraPipeline(
        index: index, devices: devices, derivedInputs: derivedInputs, clock: clock, memory: environment.memory,
        meanLuma: environment.meanLuma, signals: signals)
    }
    let context = SessionOutputContext(sessionID: id, frames: pipelines[0].frames) {
      signals.yield(.firstSend(output: $0, at: .now()))
    }
    let viewers = SessionViewers(
      idleTimeout: onDemand, clock: clock,
      calls: .init(
        start: { await context.session?.startForViewers(requestedAt: $0) },
        stop: { await context.session?.stopForLackOfViewers(after: $0) }))
    port = SessionPort(
      sessionID: id, logger: environment.logger, timeline: timeline, signals: signals, viewers: viewers)
    outputs = SessionOutputs(
      context: context, devices: devices, derivedInputs: derivedInputs, clock: clock, port: port,
      makeOutput: environment.makeOutput)
    microphones = SessionMicrophones(registry: environment.devices.microphones, clock: clock, port: port)
    deferredStart = DeferredStartRuns(
      outputs: outputs, port: port, clock: clock, limit: environment.deferredStartLimit)
    launch = LaunchReport(port: port, deferredStart: deferredStart)
    shots = ShotRuns(devices: devices, clock: clock, port: port)
  }
}

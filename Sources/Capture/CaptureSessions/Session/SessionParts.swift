internal import CaptureCore
internal import Logging

/// What a session is made of, wired together.
struct SessionParts {
  let port: SessionPort
  let devices: DeviceRegistry
  let pipelines: [CameraPipeline]
  let outputs: SessionOutputs
  let deferredStart: DeferredStartRuns
  let launch: LaunchReport
  let shots: ShotRuns

  /// What the daemon gives to all of its sessions alike.
  struct Environment: Sendable {
    let devices: DeviceRegistry
    let logger: Logger
    /// Measures what sessions do by themselves after a while.
    let clock: any Clock<Duration>
    /// How long automatic deferred start waits for readers after the first frame.
    let deferredStartLimit: Duration
    /// Holds the cameras' frames.
    let memory: FrameMemory
    let meanLuma: LumaMeter
    let makeOutput: OutputFactory
  }
}

extension SessionParts.Environment {
  /// Makes a stopped session without a configuration.
  ///
  /// - Parameters:
  ///   - launch: the daemon's own part of the launch timeline.
  ///   - isBeingCreated: whether the call that makes the session is still about to configure it.
  func makeSession(
    id: String, launch: LaunchTimeline, conditions: SystemConditions, isBeingCreated: Bool
  ) -> CaptureSession {
    // Bounded by nature: a few signals for each start. A full buffer would mean a runaway source; the newest matter.
    let (stream, signals) = AsyncStream.makeStream(of: SessionSignal.self, bufferingPolicy: .bufferingNewest(64))
    let box = WeakSession()
    let session = CaptureSession(
      SessionParts(id, self, launch, signals, box), conditions: conditions, isBeingCreated: isBeingCreated)
    box.session = session
    // Ends with the stream: in `end`, or when the session goes.
    Task { [weak session] in
      for await signal in stream { await session?.handle(signal) }
    }
    return session
  }
}

extension SessionParts {
  fileprivate init(
    _ id: String, _ environment: Environment, _ timeline: LaunchTimeline,
    _ signals: AsyncStream<SessionSignal>.Continuation, _ box: WeakSession
  ) {
    let clock = environment.clock
    devices = environment.devices
    port = SessionPort(sessionID: id, logger: environment.logger, timeline: timeline, signals: signals)
    let pipeline = CameraPipeline(
      index: 0, devices: devices, clock: clock, memory: environment.memory, meanLuma: environment.meanLuma,
      signals: signals)
    pipelines = [pipeline]
    let context = SessionOutputContext(sessionID: id, frames: pipeline.frames) {
      signals.yield(.firstSend(output: $0, at: SystemClock.monotonicNanoseconds()))
    } runDeferredStart: { () throws(CaptureError) in
      try await box.session?.runDeferredStartAndWait()
    } shoot: { shot, isWanted, take in
      guard let session = box.session else { throw CancellationError() }
      return try await session.shoot(shot, while: isWanted, take)
    }
    outputs = SessionOutputs(
      context: context, devices: devices, clock: clock, port: port, makeOutput: environment.makeOutput)
    deferredStart = DeferredStartRuns(
      outputs: outputs, port: port, clock: clock, limit: environment.deferredStartLimit)
    launch = LaunchReport(port: port, deferredStart: deferredStart)
    shots = ShotRuns(devices: devices, clock: clock, port: port)
  }
}

/// Set once, before anybody can call: breaks the circle between a session and the context that its outputs hold.
private final class WeakSession: @unchecked Sendable {
  weak var session: CaptureSession?
}

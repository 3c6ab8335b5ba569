internal import CaptureCore
internal import SystemClocks

/// Begins a launch: each camera of the session starts now, or waits until nothing keeps it from running.
struct SessionStart {
  private let requestedAt: MonotonicInstant
  private let obstacle: CaptureError?

  /// - Parameters:
  ///   - requestedAt: when the start was requested.
  ///   - obstacle: why the cameras cannot run now; nil when only the machine may keep them from running.
  init(requestedAt: MonotonicInstant, obstacle: CaptureError? = nil) {
    self.requestedAt = requestedAt
    self.obstacle = obstacle
  }

  /// Starts all cameras side by side.
  ///
  /// - Parameter waits: whether a camera that is absent, in use or without bandwidth is interrupted while the others
  ///   run. A session with one camera never waits here; see ``carryOutOrWait(in:)``.
  /// - Throws: why a camera does not start. No camera of the session runs then.
  func carryOut(in session: isolated CaptureSession, waits: Bool = false) async throws(CaptureError) {
    session.launch.begin(requestedAt: requestedAt)
    let cameras = session.cameras
    guard cameras.count > 1 else { return try await start(cameras[0], in: session) }
    session.setLaunching(true)
    session.outputs.derivedInputs.beginWaiting(session.committed.resolved.inputs)
    defer { session.outputs.derivedInputs.endWaiting() }
    session.tellStatus()
    var failure: CaptureError?
    let results: [(CameraPipeline, CaptureError?)] = await session.atOnce(cameras) { session, pipeline in
      do throws(CaptureError) { try await start(pipeline, in: session, waits: waits) } catch { return error }
      return nil
    }
    for (pipeline, error) in results {
      guard let error else { continue }
      if waits, InterruptionReason(ofRetry: error) != nil {
        await session.apply(.startAwaited(error), to: pipeline)
      } else {
        failure = failure ?? error
      }
    }
    if failure != nil { await session.stopCameras() }
    for pipeline in cameras where pipeline.isParked {
      session.outputs.setStatus(session.shownStatus(of: pipeline), of: pipeline, by: session.committed)
      if pipeline.forgetError() { CameraLife(pipeline, in: session).tellInput(in: session) }
    }
    session.setLaunching(false)
    session.tellStatus()
    session.followMicrophones()
    if let failure { throw failure }
    if session.status.state == .running { session.launch.noteStarted() }
  }

  /// Begins a launch like ``carryOut(in:)``, after the checks that a start needs. When the camera is absent, in use or
  /// without bandwidth, the session is interrupted instead, and starts by itself later.
  ///
  /// - Throws: an error that waiting does not heal; the session is then stopped.
  func carryOutOrWait(in session: isolated CaptureSession) async throws {
    do {
      try await session.resolveAwaited()
      try session.checkStartable()
      try session.cost.check()
      try await carryOut(in: session, waits: true)
    } catch {
      guard let cause = error as? CaptureError, InterruptionReason(ofRetry: cause) != nil else { throw error }
      try await SessionStart(requestedAt: requestedAt, obstacle: cause).carryOut(in: session)
      await session.adapt()
    }
  }

  private func start(
    _ pipeline: CameraPipeline, in session: isolated CaptureSession, waits: Bool = false
  ) async throws(CaptureError) {
    pipeline.schedule = RetrySchedule()
    pipeline.startError = nil
    if session.staysClosed(pipeline), let input = session.committed.input(at: pipeline.index) {
      do throws(CaptureError) { try session.devices.claim(input, for: session.id) } catch {
        // A closed camera waits for nothing: its claim is tried again when it is to open.
        guard waits || obstacle != nil else { throw error }
      }
      return pipeline.park()
    }
    guard let reason = obstacle ?? session.rest(of: pipeline) else {
      pipeline.frames.settling?.begin()
      await session.apply(.startRequested, to: pipeline)
      if let error = pipeline.startError { throw error }
      return
    }
    let isDerived = session.committed.isDerived(at: pipeline.index)
    if obstacle == nil, !isDerived, let device = session.committed.sourceID(at: pipeline.index) {
      try session.devices.claim(device, for: session.id)
    }
    // The watch begins only here, because no state change would end it after a refused claim.
    pipeline.frames.settling?.begin()
    await session.apply(.startAwaited(reason), to: pipeline)
  }
}

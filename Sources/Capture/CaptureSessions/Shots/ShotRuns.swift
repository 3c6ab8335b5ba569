internal import CaptureCore
internal import Logging
internal import SystemClocks

/// Takes the frames of one step of a shot. The conditions say which frames have the step's settings.
typealias TakeStep = @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void

/// Carries out shots: sets the camera for each step, waits for the step's frames, and sets back the controls that it
/// touched.
///
/// Belongs to the session's actor.
final class ShotRuns {
  private let devices: DeviceRegistry
  private let clock: any Clock<Duration>
  private let port: SessionPort
  /// The task that takes the frames of the present step.
  private var underWay: Task<Void, any Error>?
  /// The number of calls that will end the stream and are waiting for their turn.
  var endsAhead = 0

  init(devices: DeviceRegistry, clock: any Clock<Duration>, port: SessionPort) {
    self.devices = devices
    self.clock = clock
    self.port = port
  }

  /// Stops waiting for the frames of the present step, because they will not come, or because a call that ends the
  /// stream is waiting.
  func cancel() { underWay?.cancel() }

  /// As ``OutputContext/shoot(_:while:_:)``, when the turn of the shot has come.
  func carryOut(
    _ shot: Shot, _ take: @escaping TakeStep, in session: isolated CaptureSession
  ) async throws -> MonotonicInstant {
    let pipeline = session.photoCamera
    guard pipeline.status.state == .running, let input = session.committed.input(at: pipeline.index) else {
      // The session ran when the client asked for the photo, so the client gets an interruption instead of
      // `sessionNotRunning`.
      throw CaptureError(
        .operationInterrupted, "Session \(port.sessionID) does not run any more; take the photo again when it does.",
        metadata: metadata(pipeline.status.interruption))
    }
    try checkGoesOn(pipeline, in: session)
    guard let size = shot.size, size != session.committed.format(at: pipeline.index)?.layout.size else {
      return try await carryOut(shot.steps, isStill: false, on: input.sourceID, pipeline, take, in: session)
    }
    let still = StillStream(pipeline: pipeline, input: input, devices: devices)
    try await still.begin(size, in: session)
    let result: Result<MonotonicInstant, any Error>
    do {
      result = .success(
        try await carryOut(shot.steps, isStill: true, on: input.sourceID, pipeline, take, in: session))
    } catch { result = .failure(error) }
    await still.end(in: session)
    return try result.get()
  }

  private func carryOut(
    _ steps: [Shot.Step], isStill: Bool, on device: String, _ pipeline: CameraPipeline, _ take: @escaping TakeStep,
    in session: isolated CaptureSession
  ) async throws -> MonotonicInstant {
    let plan = try await devices.beginShot(steps, on: device)
    var touched: [ControlSetting] = []
    var failure: (any Error)?
    do {
      for (index, step) in steps.enumerated() {
        try checkGoesOn(pipeline, in: session)
        let settings = try plan.settings(for: step, after: touched)
        for setting in settings.undone { try await set(setting, on: device) }
        touched.removeAll { setting in !settings.controls.contains { $0.control == setting.control } }
        for setting in settings.controls {
          // Also set back a control whose setting was refused, because the driver may have carried out half of it.
          touched.append(setting)
          try await set(setting, on: device)
        }
        var conditions = settings.conditions(at: .now())
        // A new stream starts its automatic exposure anew.
        if isStill, step.exposure == .unchanged { conditions.settles = true }
        try await waitForFrames(of: index, conditions, pipeline, take, in: session)
      }
    } catch { failure = error }
    await restore(plan.restoring(touched), on: device)
    await devices.endShot(on: device)
    let settling = touched.isEmpty ? 0 : settlingNanoseconds(pipeline, session.committed)
    let end = MonotonicInstant.now() + settling
    if let failure { throw ShotFailure(failure, end: end) }
    return end
  }

  private nonisolated(nonsending) func set(
    _ setting: ControlSetting, on device: String
  ) async throws(CaptureError) {
    for result in try await devices.setForShot([setting], on: device) { _ = try result.outcome.get() }
  }

  /// Checks that the frames of the shot can still come.
  ///
  /// - Throws: `operationInterrupted` when the stream has ended, when a call that ends it is waiting, or when the
  ///   camera must rest.
  private func checkGoesOn(_ pipeline: CameraPipeline, in session: isolated CaptureSession) throws(CaptureError) {
    if pipeline.sources.isLost {
      throw CaptureError(
        .operationInterrupted,
        "The camera of session \(port.sessionID) stopped; take the photo again when it runs.",
        metadata: metadata(pipeline.sources.lost?.reason))
    }
    let rest = session.rest(of: pipeline)
    guard endsAhead > 0 || rest != nil else { return }
    throw CaptureError(
      .operationInterrupted,
      "Session \(port.sessionID) \(rest == nil ? "stops" : "is paused by the machine"); take the photo again when "
        + "it runs.",
      metadata: metadata(rest.flatMap { InterruptionReason($0) }))
  }

  private func metadata(_ reason: InterruptionReason?) -> [String: String] {
    var metadata = ["session": port.sessionID]
    metadata["interruption"] = reason?.name
    return metadata
  }

  /// Returns the nanoseconds until frames show the controls as they are set now.
  private func settlingNanoseconds(_ pipeline: CameraPipeline, _ committed: CommittedConfiguration) -> UInt64 {
    if pipeline.frames.ring.newest?.frame.sensor.isOfFrame == true { return 0 }
    let period = 1_000_000_000 / max(committed.format(at: pipeline.index)?.frameRate.value ?? 30, 0.1)
    return UInt64(period) * (FrameGate.delay + 1)
  }

  private func waitForFrames(
    of step: Int, _ conditions: ShotConditions, _ pipeline: CameraPipeline, _ take: @escaping TakeStep,
    in session: isolated CaptureSession
  ) async throws {
    try checkGoesOn(pipeline, in: session)
    let taking = Task { try await take(step, conditions) }
    let patience = Duration.nanoseconds(Int64(pipeline.frames.patienceNanoseconds))
    let limit = Task { [clock] in
      guard (try? await clock.sleep(for: patience)) != nil else { return }
      taking.cancel()
    }
    underWay = taking
    defer {
      limit.cancel()
      underWay = nil
    }
    do { try await taking.value } catch is CancellationError {
      try checkGoesOn(pipeline, in: session)
      throw CaptureError(
        .operationInterrupted, "The camera brought no frame with the settings of the capture; take it again.",
        metadata: ["session": port.sessionID])
    }
  }

  /// Sets controls back. When one fails, it logs that and goes on with the others.
  private nonisolated(nonsending) func restore(_ settings: [ControlSetting], on device: String) async {
    for setting in settings {
      do throws(CaptureError) {
        try await set(setting, on: device)
      } catch {
        port.logger.warning(
          "A control of the camera keeps the value that a photo needed.",
          metadata: ["control.id": "\(setting.control)", "error.message": "\(error.message)"])
      }
    }
  }
}

extension ShotPlan.Settings {
  fileprivate func conditions(at now: MonotonicInstant) -> ShotConditions {
    ShotConditions(
      earliest: now, latest: flashNanoseconds.map { now + $0 }, readings: readings, isFlashOn: flash, settles: settles)
  }
}

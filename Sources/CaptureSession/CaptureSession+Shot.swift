internal import CaptureCore
internal import Logging

/// Captures that need the camera to be set for them.
extension CaptureSession {
  /// Runs `body`, which ends the session's stream, when it is its turn. Captures before it are given up: each of their steps
  /// may take seconds. What they set is put back all the same.
  ///
  /// - Parameter etag: with one that is outdated nothing ends.
  func ending<R: Sendable>(
    etag: String, _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) async throws -> R {
    guard (try? check(etag: etag)) != nil else { return try await serially(body) }
    endsAhead += 1
    shotUnderWay?.cancel()
    return try await serially { session in
      session.endsAhead -= 1
      return try await body(session)
    }
  }

  /// As ``OutputContext/shoot(_:while:_:)``.
  func shoot(
    _ shot: Shot, while isWanted: @escaping @Sendable () -> Bool, _ take: @escaping TakeStep
  ) async throws -> UInt64 {
    try await serially { session in
      // A commit before it may have ended its capture.
      guard isWanted() else { throw CancellationError() }
      return try await session.carryOut(shot, take)
    }
  }

  private func carryOut(_ shot: Shot, _ take: @escaping TakeStep) async throws -> UInt64 {
    guard machine.status.state == .running, let device = resolved.input?.deviceID else {
      // It did when the photo was asked for.
      throw CaptureError(
        .operationInterrupted, "Session \(id) does not run any more; take the photo again when it does.",
        metadata: interruptionMetadata(machine.status.interruption))
    }
    try checkGoesOn()
    let size = needsStill(shot.size)
    if let size { try await beginStill(size) }
    let result: Result<UInt64, any Error>
    do { result = .success(try await carryOut(shot.steps, isStill: size != nil, on: device, take)) } catch {
      result = .failure(error)
    }
    if size != nil { await endStill() }
    return try result.get()
  }

  private func carryOut(
    _ steps: [Shot.Step], isStill: Bool, on device: String, _ take: @escaping TakeStep
  ) async throws -> UInt64 {
    let plan = try await devices.beginShot(steps, on: device)
    var touched: [ControlSetting] = []
    var failure: (any Error)?
    do {
      for (index, step) in steps.enumerated() {
        try checkGoesOn()
        let settings = try plan.settings(for: step, after: touched)
        for setting in settings.undone { try await set(setting, on: device) }
        touched.removeAll { setting in !settings.controls.contains { $0.control == setting.control } }
        for setting in settings.controls {
          // Also what was refused: a driver may have done half of it.
          touched.append(setting)
          try await set(setting, on: device)
        }
        var conditions = settings.conditions(at: SystemClock.monotonicNanoseconds())
        // Automatic exposure begins anew with a stream.
        if isStill, step.exposure == .unchanged { conditions.settles = true }
        try await waitForFrames(of: index, conditions, take)
      }
    } catch { failure = error }
    await restore(plan.restoring(touched), on: device)
    await devices.endShot(on: device)
    let end = SystemClock.monotonicNanoseconds() + (touched.isEmpty ? 0 : settlingNanoseconds)
    if let failure { throw ShotFailure(failure, end: end) }
    return end
  }

  private func set(_ setting: ControlSetting, on device: String) async throws(CaptureError) {
    for result in try await devices.setForShot([setting], on: device) { _ = try result.outcome.get() }
  }

  /// Whether the stream has not ended, and nothing waits that ends it.
  private func checkGoesOn() throws(CaptureError) {
    if lostGeneration == generation {
      throw CaptureError(
        .operationInterrupted, "The camera of session \(id) stopped; take the photo again when it runs.",
        metadata: interruptionMetadata(lostReason))
    }
    guard endsAhead > 0 || mustRest else { return }
    throw CaptureError(
      .operationInterrupted, "Session \(id) \(mustRest ? "rests" : "stops"); take the photo again when it runs.",
      metadata: interruptionMetadata(mustRest ? InterruptionReason(restError) : nil))
  }

  private func interruptionMetadata(_ reason: InterruptionReason?) -> [String: String] {
    var metadata = ["session": id]
    metadata["interruption"] = reason?.name
    return metadata
  }

  /// Until frames are as the camera is set.
  private var settlingNanoseconds: UInt64 {
    if pipeline.ring.newest?.frame.sensor.isOfFrame == true { return 0 }
    let period = 1_000_000_000 / max(format?.frameRate.value ?? 30, 0.1)
    return UInt64(period) * (FrameGate.delay + 1)
  }

  private func waitForFrames(
    of step: Int, _ conditions: ShotConditions, _ take: @escaping TakeStep
  ) async throws {
    try checkGoesOn()
    let taking = Task { try await take(step, conditions) }
    let patience = Duration.nanoseconds(Int64(context.framePatienceNanoseconds))
    let limit = Task { [clock] in
      guard (try? await clock.sleep(for: patience)) != nil else { return }
      taking.cancel()
    }
    shotUnderWay = taking
    defer {
      limit.cancel()
      shotUnderWay = nil
    }
    do { try await taking.value } catch is CancellationError {
      try checkGoesOn()
      throw CaptureError(
        .operationInterrupted, "The camera brought no frame with the settings of the capture; take it again.",
        metadata: ["session": id])
    }
  }

  /// Goes on when one cannot be set: the others can.
  private func restore(_ settings: [ControlSetting], on device: String) async {
    for setting in settings {
      do throws(CaptureError) {
        try await set(setting, on: device)
      } catch {
        logger.warning(
          "control not set back after a photo",
          metadata: ["control": "\(setting.control)", "error": "\(error.message)"])
      }
    }
  }
}

/// Takes the frames of a step of a shot.
typealias TakeStep = @Sendable (_ step: Int, _ conditions: ShotConditions) async throws -> Void

extension ShotPlan.Settings {
  fileprivate func conditions(at now: UInt64) -> ShotConditions {
    ShotConditions(
      earliest: now, latest: flashNanoseconds.map { now + $0 }, readings: readings, isFlashOn: flash, settles: settles)
  }
}

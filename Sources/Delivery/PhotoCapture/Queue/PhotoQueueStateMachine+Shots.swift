internal import CaptureCore
internal import SystemClocks

/// Captures that the camera is set for.
extension PhotoQueueStateMachine {
  /// Notes that the camera is being set for the capture.
  ///
  /// - Returns: whether the driver's first readings may still be those of another shot.
  mutating func beginShot(_ ticket: Ticket, _ job: PhotoJob) -> Bool {
    places.shoot(ticket)
    defer { shadow.set(from: job.began) }
    return shadow.mayHaveReadings(of: job.began)
  }

  /// Begins a step of the shot, whose frames `waiter` gets.
  ///
  /// - Parameter followsOwn: whether the photo's own frame came before and was damaged. The frames after it have the
  ///   settings of the shot already.
  mutating func beginExposure(
    _ ticket: Ticket, _ job: PhotoJob, _ step: ShotConditions, followsOwn: Bool,
    _ waiter: PhotoQueueActions.ExposureWaiter
  ) {
    guard places.holds(ticket) else { return actions.answers.append(.endExposure(waiter, nil)) }
    steps = [
      ShotExposure(
        ticket, job.request, step, count: job.request.exposure.mergesBracket ? 1 : job.frameCount,
        followsOwn: followsOwn, waiter: waiter)
    ]
  }

  /// Ends the step that is under way, with its frames or without.
  mutating func endExposure(_ result: Result<HeldFrame, CaptureError>?) {
    if let step = steps.popLast() { actions.answers.append(.endExposure(step.waiter, result)) }
  }

  /// Ends a step whose frames cannot come any more.
  ///
  /// - Returns: the photo's own frame with those that came after it, if that came.
  mutating func endExposure() -> HeldFrame? {
    steps.popLast()?.taken
  }

  /// Notes that the shot is over.
  ///
  /// - Parameters:
  ///   - frames: one for each step, or why the capture failed.
  ///   - end: from when on frames have the camera's former settings.
  mutating func endShot(
    _ ticket: Ticket, _ job: PhotoJob, _ frames: Result<[HeldFrame], CaptureError>, end: MonotonicInstant
  ) {
    shadow.set(from: job.began, to: end)
    switch frames {
    case .failure(let error): if places.abandon(ticket) { actions.answers.append(.fail(job, error)) }
    case .success(let frames):
      if job.request.exposure.mergesBracket {
        // The one photo is captured when the last of its exposures is.
        let frame = frames[job.request.exposure.bracketReference].captured
        actions.notices.append(.send(job, .didCapturePhoto(frame)))
      }
      places.setCaptured(ticket, HeldFrame(frames, job.request, conditions.connection.orientation))
    }
  }
}

extension HeldFrame {
  /// All frames of a shot, as the frame of its first photo with those of the others, or as one photo of them all.
  fileprivate init(_ frames: [HeldFrame], _ request: PhotoRequest, _ orientation: Orientation) {
    var frames = frames
    for index in frames.indices { frames[index].orientation = orientation }
    let end = frames.last!.capturePhase.end
    self = frames.remove(at: request.exposure.mergesBracket ? request.exposure.bracketReference : 0)
    if request.exposure.mergesBracket {
      mergesExposures = true
      neighbours = frames.map { Neighbour($0.captured.frame) }
    } else {
      following = frames
    }
    capturePhase.end = end
  }
}

internal import CaptureCore
internal import SystemClocks

/// Which frames captures get.
extension PhotoQueueStateMachine {
  /// Gives the next frame of the stream to the shot and to the captures that wait for one. These wait until `deadline`
  /// for the frames that are merged with it.
  mutating func frameArrived(_ frame: CapturedFrame, until deadline: MonotonicInstant, at now: MonotonicInstant) {
    prepared.frameArrived(frame.frame.layout)
    places.maxProcessing = PhotoFeatures.maxProcessing(frame.frame.layout.size)
    if shots.hasStep, let (waiter, result) = shots.offer(frame, now: now) {
      actions.answers.append(.endExposure(waiter, result))
    }
    let taken = places.frameArrived(at: frame.frame.time.monotonic) { held in
      held.capturePhase.end = now
      return held.add(frame.frame)
    }
    for (ticket, job) in taken {
      take(ticket, job, FrameChoice.accept(frame, for: job.request), until: deadline, at: now)
    }
  }

  /// Lets a capture that has begun wait for its frame until `deadline`.
  ///
  /// - Returns: where its frame may be already.
  mutating func wait(for turn: CapturePlaces.Turn, until deadline: MonotonicInstant) -> FrameSearch {
    let (search, earliest) = FrameSearch.begin(for: turn, zeroShutterLag: places.features.zeroShutterLag, shots)
    places.wait(turn.ticket, earliest: earliest, deadline: deadline)
    return search
  }

  /// Fails a capture that waits if no frame can come: the session stopped or the connection was disabled after the
  /// capture began and before it waited.
  mutating func failUnlessFramesCome(_ ticket: Ticket, _ job: PhotoJob) {
    // A camera that waited for deferred start is opening for the capture.
    let isRunning = [.running, .starting].contains(conditions.status.state)
    guard !isRunning || !conditions.connection.isEnabled, places.endWait(ticket) else { return }
    places.remove(ticket)
    actions.answers.append(.fail(job, isRunning ? .connectionWasDisabled : .interrupted(by: conditions.status)))
  }

  /// Gives a capture that waits the frame that was found for it, unless another frame was faster.
  mutating func found(
    _ ticket: Ticket, _ job: PhotoJob, _ held: HeldFrame, until deadline: MonotonicInstant, at now: MonotonicInstant
  ) {
    if places.endWait(ticket) { take(ticket, job, held, until: deadline, at: now) }
  }

  /// Gives a capture its frame, and tells its client. The capture waits until `deadline` for the frames that are merged
  /// with it.
  mutating func take(
    _ ticket: Ticket, _ job: PhotoJob, _ held: HeldFrame, until deadline: MonotonicInstant, at now: MonotonicInstant
  ) {
    var held = held
    held.orientation = conditions.connection.orientation
    held.hasForeignReadings = shots.shadow.mayHaveReadings(of: held.captured.frame.time.monotonic)
    let isReplaced = job.isReplaced
    held.begin(at: job.began, heldBy: now, isReplacement: isReplaced)
    if !isReplaced {
      actions.notices.append(.send(job, .willCapturePhoto))
      actions.notices.append(.send(job, .didCapturePhoto(held.captured)))
    }
    // A photo of the ring is merged with the frames before its own. Any other photo is merged with the frames after its
    // own, which do not come while the connection is disabled.
    let missing = held.selection.zeroShutterLagUsed || !conditions.connection.isEnabled ? 0 : job.frameCount - 1
    places.setCaptured(ticket, held, missing: missing, after: held.captured.frame.time.monotonic, deadline: deadline)
  }

  /// Makes a capture, whose own frame was damaged, ready again with another frame.
  ///
  /// - Returns: false when the capture has ended.
  mutating func replaceFrame(_ ticket: Ticket, _ held: HeldFrame) -> Bool {
    places.setCaptured(ticket, held)
    return places.holds(ticket)
  }

  /// Lets a capture whose own frame was damaged wait for the next one.
  ///
  /// - Returns: false when no frame will come for it.
  mutating func waitForReplacement(
    _ ticket: Ticket, after damaged: MonotonicInstant, until deadline: MonotonicInstant
  ) -> Bool {
    guard places.isRunning, conditions.connection.isEnabled, places.holds(ticket) else { return false }
    places.wait(ticket, earliest: shots.afterShots(damaged + 1), deadline: deadline)
    return true
  }

  /// Gives a capture that waits for a replacement the frame that was found for it, unless another frame was faster.
  mutating func foundReplacement(_ ticket: Ticket, _ held: HeldFrame) {
    if places.endWait(ticket) { places.setCaptured(ticket, held) }
  }
}

/// Captures that photo threads work on, and their delivery.
extension PhotoQueueStateMachine {
  /// Returns the next capture that a photo thread may process.
  mutating func nextWork() -> PhotoAssignment? {
    places.next().map { PhotoAssignment(ticket: $0.0, job: $0.1, capture: UnprocessedCapture(of: $0.1, $0.2)) }
  }

  /// Notes that the thread is done with the capture.
  mutating func finish(_ ticket: Ticket, _ job: PhotoJob, _ result: Result<[Photo], CaptureError>) {
    if case .success(let photos) = result, let photo = photos.last { forecast.add(photo, of: job) }
    places.finish(ticket, result)
  }

  /// Frees the place of a capture that was delivered. Its last event is sent after that, so that a client that gets it
  /// finds the place free.
  mutating func leave(_ ticket: Ticket, _ job: PhotoJob, _ error: CaptureError?) {
    places.remove(ticket)
    actions.answers.append(.end(job, error))
  }
}

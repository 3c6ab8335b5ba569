internal import CaptureCore
internal import SystemClocks

/// Which frames captures get.
extension PhotoQueueStateMachine {
  /// Where ``FrameFinder`` looks once more for the frame of a capture that waits.
  enum Search: Hashable, Sendable {
    /// The frame of the instant asked for, among those that are not in the shadow of a shot.
    case ring(ShotShadow)
    /// The first frame that was captured at this instant or later.
    case since(MonotonicInstant)
  }

  /// Gives the next frame of the stream to the shot and to the captures that wait for one. These wait until `deadline`
  /// for the frames that are merged with it.
  mutating func frameArrived(_ frame: CapturedFrame, until deadline: MonotonicInstant, at now: MonotonicInstant) {
    prepared.frameArrived(frame.frame.layout)
    places.maxProcessing = PhotoFeatures.maxProcessing(frame.frame.layout.size)
    if !steps.isEmpty, let result = steps[0].offer(frame, now: now) { endExposure(result) }
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
  mutating func wait(for turn: CapturePlaces.Turn, until deadline: MonotonicInstant) -> Search {
    let job = turn.job
    // A ring that has no frame for "now" will have one in a moment, and the capture takes that frame, whatever its
    // time. In every other case the camera captures the frame after the request, and after the capture's turn came.
    let usesRing = turn.isImmediate && places.features.zeroShutterLag && shadow.end.map { job.began > $0 } ?? true
    let since = usesRing ? .epoch : turn.isImmediate ? job.request.arrival : job.began
    let earliest = afterShots(since)
    places.wait(turn.ticket, earliest: earliest, deadline: deadline)
    return usesRing ? .ring(shadow) : .since(earliest)
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
    let frame = held.captured.frame
    held.orientation = conditions.connection.orientation
    held.hasForeignReadings = shadow.mayHaveReadings(of: frame.time.monotonic)
    if held.heldAt == nil { held.heldAt = now }
    held.capturePhase.begin = job.began
    if job.isReplaced {
      // The client was told of a frame that turned out to be damaged.
      if held.selection.match == .exact { held.selection.match = .damaged }
    } else {
      actions.notices.append(.send(job, .willCapturePhoto))
      actions.notices.append(.send(job, .didCapturePhoto(held.captured)))
    }
    // A photo of the ring is merged with the frames before its own. Any other photo is merged with the frames after its
    // own, which do not come while the connection is disabled.
    let missing = held.selection.zeroShutterLagUsed || !conditions.connection.isEnabled ? 0 : job.frameCount - 1
    places.setCaptured(ticket, held, missing: missing, after: frame.time.monotonic, deadline: deadline)
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
    places.wait(ticket, earliest: afterShots(damaged + 1), deadline: deadline)
    return true
  }

  /// Gives a capture that waits for a replacement the frame that was found for it, unless another frame was faster.
  mutating func foundReplacement(_ ticket: Ticket, _ held: HeldFrame) {
    if places.endWait(ticket) { places.setCaptured(ticket, held) }
  }

  /// The instant, or the end of the last shot if that is later. The end is unknown while a shot goes on; no capture
  /// begins then, except when the shot was given up.
  func afterShots(_ instant: MonotonicInstant) -> MonotonicInstant {
    guard let end = shadow.end, end != .distantFuture else { return instant }
    return max(instant, end + 1)
  }
}

/// Captures that photo threads work on, and their delivery.
extension PhotoQueueStateMachine {
  /// A capture for a photo thread to work on.
  struct Assignment: Sendable {
    var ticket: Ticket
    var job: PhotoJob
    var capture: UnprocessedCapture
  }

  /// Returns the next capture that a photo thread may process.
  mutating func nextWork() -> Assignment? {
    places.next().map { Assignment(ticket: $0.0, job: $0.1, capture: UnprocessedCapture(of: $0.1, $0.2)) }
  }

  /// Notes that the thread is done with the capture.
  mutating func finish(_ ticket: Ticket, _ job: PhotoJob, _ result: Result<[Photo], CaptureError>) {
    if case .success(let photos) = result, let photo = photos.last {
      let took = photo.phases.encodeEnd.nanoseconds(since: photo.phases.processBegin)
      forecast.add(took, job.request, photo.quality, frames: job.frameCount)
    }
    places.finish(ticket, result)
  }

  /// Frees the place of a capture that was delivered. Its last event is sent after that, so that a client that gets it
  /// finds the place free.
  mutating func leave(_ ticket: Ticket, _ job: PhotoJob, _ error: CaptureError?) {
    places.remove(ticket)
    actions.answers.append(.end(job, error))
  }
}

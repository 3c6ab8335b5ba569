public import CaptureCore
internal import Imaging
internal import Synchronization
internal import SystemClocks

extension PhotoOutput {
  /// Takes a photo. Its frame is chosen and held before this returns, if the ring has it and memory allows.
  ///
  /// Runs deferred start first when the output is not prepared yet; with responsive capture the frame is held meanwhile. An
  /// automatic flash that nobody decided about does not fire: see ``decidingFlash(_:)``.
  ///
  /// - Throws: `sessionNotRunning`; `notSupportedInConfiguration` while the connection is disabled; `settingsIDReused`;
  ///   `tooManyRequests` above 128 captures under way; `invalidArgument`, `unsupportedValue`; once closed, the error of
  ///   that. Whatever goes wrong later is told by the events.
  public func capture(_ request: PhotoRequest) throws(CaptureError) -> AcceptedCapture {
    let context = self.context
    let (features, isPrepared, conditions, shadow) = state.withLock {
      ($0.queue.features, $0.queue.isPrepared, $0.conditions, $0.shotShadow)
    }
    let connection = conditions.connection
    // The frame is held before anything else is done: each moment later it may have left the ring.
    var pinned = context.flatMap { pin(request, features, isPrepared, $0.history, shadow) }
    defer { stopTracking(request.uniqueID) }
    try request.validate(features)
    if context != nil, conditions.status.state != .running { throw Self.notRunning(conditions.status.state) }
    guard connection.isEnabled else {
      throw CaptureError(
        .notSupportedInConfiguration, "The connection of the photo output \(id) is disabled; enable it to take photos.",
        metadata: ["output": id])
    }
    // A frame that is held until it is processed must leave the camera memory to go on with.
    if let held = pinned, !held.captured.frame.buffer.leavesRoom(for: Self.framesLeftToCamera) { pinned = nil }

    let flash = request.exposure.flashMode == .on
    let shot = request.shot(flash: flash, features.shots)
    if shot != nil { pinned = nil }
    let uniqueID = request.uniqueID.isEmpty ? PhotoJob.makeUniqueID() : request.uniqueID
    let streamed = (pinned?.captured ?? context?.history.newest)?.frame.layout.size
    let size = (shot?.size ?? streamed).map(connection.orientation.turned)
    let traits = Queue.Traits(
      overlaps: request.mayOverlap && shot == nil, waitsForSensor: !features.zeroShutterLag || shot != nil,
      setsCamera: shot != nil)
    let events = try update { state throws(CaptureError) in
      try state.queue.checkRoom()
      try store.begin(uniqueID, of: sessionID, at: WallClock().wallInstant(at: request.arrival))
      // One flash lights one frame, and the photos of a bracket are exposed differently on purpose: neither is merged.
      let isSingle = flash || !request.exposure.bracket.isEmpty
      let wanted = isSingle ? .speed : request.quality ?? min(.balanced, features.maxQuality)
      let allowed =
        features.fastCapturePrioritization
        ? state.bursts.resolve(wanted, at: request.arrival, isBusy: !state.queue.isIdle) : wanted
      let resolved = ResolvedPhotoSettings(
        encoding: request.file.encoding, size: size,
        thumbnailSize: request.file.embeddedThumbnail.flatMap { size?.fitted(into: $0) },
        zeroShutterLagUsed: pinned != nil,
        quality: request.exposure.mergesBracket ? .quality : allowed, isFlashOn: flash,
        manualExposure: request.exposure.manualExposure,
        photoCount: request.exposure.photoCount)
      let (job, events) = PhotoJob.make(uniqueID, request, shot, resolved, log: self.events, now: now)
      state.tracked.stop(uniqueID)
      state.queue.enqueue(job, traits, pinned: pinned)
      return events
    }
    if let context { runDeferredStart(context) }
    return AcceptedCapture(uniqueID: uniqueID, events: events)
  }

  private func pin(
    _ request: PhotoRequest, _ features: PhotoFeatures, _ isPrepared: Bool, _ history: any FrameHistory,
    _ shadow: ShotShadow
  ) -> PinnedFrame? {
    guard features.zeroShutterLag, request.exposure.mayUseRing else { return nil }
    // Without responsive capture "now" is when the output is ready; a frame named is that frame.
    guard isPrepared || features.responsiveCapture || request.moment != nil else { return nil }
    var pinned = FrameChoice.choose(for: request, from: history, notFrom: shadow)
    pinned?.pinnedAt = now()
    return pinned
  }

  /// The capture's turn has come, and is told: finds its frames.
  func begin(_ turn: Queue.Turn) {
    let (job, context) = (turn.job, context)
    if let shot = job.shot, let context { return shoot(shot, turn, context) }
    guard var pinned = turn.pinned else { return wait(turn, context) }
    if let context {
      FrameChoice.addNeighbours(
        to: &pinned, upTo: job.frameCount, from: context.history, notFrom: state.withLock(\.shotShadow))
    }
    capture(turn.ticket, job, pinned)
  }

  /// The frame is there.
  func capture(_ ticket: Queue.Ticket, _ job: PhotoJob, _ pinned: PinnedFrame) {
    var pinned = pinned
    let frame = pinned.captured.frame
    (pinned.orientation, pinned.hasForeignReadings) = state.withLock {
      ($0.connection.orientation, $0.shotShadow.mayHaveReadings(of: frame.time.monotonic))
    }
    if pinned.pinnedAt == nil { pinned.pinnedAt = now() }
    pinned.capturePhase.begin = job.began
    if job.isReplaced {
      // The client has been told of a frame that turned out to be damaged.
      if pinned.selection.match == .exact { pinned.selection.match = .damaged }
    } else {
      job.send(.willCapturePhoto)
      job.send(.didCapturePhoto(sequence: frame.sequence, streamID: frame.streamID))
    }
    // A photo from the ring is merged with the frames before its own; any other waits for the frames after it.
    let missing = pinned.selection.zeroShutterLagUsed ? 0 : job.frameCount - 1
    let deadline = frameDeadline
    update {
      // If the connection was disabled meanwhile, no frame will follow.
      $0.queue.setCaptured(
        ticket, pinned, missing: $0.connection.isEnabled ? missing : 0, after: frame.time.monotonic,
        deadline: deadline)
    }
  }

  private func wait(_ turn: Queue.Turn, _ context: (any OutputContext)?) {
    let (ticket, job) = (turn.ticket, turn.job)
    let request = job.request
    // A ring that has no frame for "now" will have one in a moment, and the capture takes that, whatever its time. In every
    // other case the frame is captured after the request, and after the capture's turn came.
    let (hasRing, shadow) = state.withLock { ($0.queue.features.zeroShutterLag, $0.shotShadow) }
    let usesRing = turn.isImmediate && hasRing && shadow.end.map { job.began > $0 } ?? true
    let since = usesRing ? .epoch : turn.isImmediate ? request.arrival : job.began
    // The end of a shot is unknown only when it was given up: no capture begins while one is under way.
    let earliest = shadow.end.map { $0 == .distantFuture ? since : max(since, $0 + 1) } ?? since
    let deadline = frameDeadline
    update { $0.queue.wait(ticket, earliest: earliest, deadline: deadline) }
    // A frame that came after the first look, but before the capture was known to wait.
    let found = context.flatMap {
      usesRing
        ? FrameChoice.choose(for: request, from: $0.history, notFrom: shadow)
        : FrameChoice.first(since: earliest, for: request, from: $0.history)
    }
    if var found {
      // Readiness has told everybody that the capture waits for its frame.
      found.selection.zeroShutterLagUsed = false
      if update({ $0.queue.endWait(ticket) }) { capture(ticket, job, found) }
    } else if case let status = state.withLock({ $0.conditions.status }), status.state != .running {
      // The session stopped after the first look, but before the capture was known to wait.
      for job in update({ $0.queue.removeWaiting() }) { fail(job, Self.interrupted(by: status)) }
    } else if !state.withLock({ $0.connection.isEnabled }) {
      for job in update({ $0.queue.removeWaiting() }) { fail(job, Self.interrupted(by: "its connection was disabled")) }
    }
  }

  func runDeferredStart(_ context: any OutputContext) {
    guard update({ $0.queue.beginDeferredStart() }) else { return }
    // Not a child of the caller: the capture goes on when its caller leaves. At most one at a time.
    Task {
      var failure: CaptureError?
      do throws(CaptureError) { try await context.runDeferredStartIfNeeded() } catch { failure = error }
      let stranded = update { $0.queue.endDeferredStart() }
      for job in stranded {
        fail(job, failure ?? CaptureError(.processingFailed, "The photo output was not prepared by deferred start."))
      }
    }
  }

  func fail(_ job: PhotoJob, _ error: CaptureError) {
    store.finish(job.uniqueID, .failure(error))
    job.finish(error)
  }

  static func interrupted(by cause: String) -> CaptureError {
    CaptureError(
      .operationInterrupted, "The capture was interrupted before its photo was made: \(cause).",
      metadata: ["cause": cause])
  }

  static func interrupted(by status: SessionStatus) -> CaptureError {
    guard let interruption = status.interruption else { return interrupted(by: "\(status.state)") }
    var error = interrupted(by: "\(status.state), \(interruption.text)")
    error.metadata["interruption"] = interruption.name
    return error
  }

  private static func notRunning(_ state: SessionState) -> CaptureError {
    CaptureError(
      .sessionNotRunning, "The session is \(state); photos are taken while it is running.",
      metadata: ["state": "\(state)"])
  }
}

internal import CaptureCore
internal import SystemClocks

/// Decides everything about the captures of a photo output: which begins when, which frames it waits for, when the
/// camera is set for it, which threads have work, what readiness is, and which deadline is the next. A value without
/// threads.
///
/// Each change leaves actions behind, which ``takeActions()`` returns, with those that follow from the new state.
/// The queue never looks for frames and never makes photos: ``PhotoOutput`` does, and reports what came of it.
struct PhotoQueueStateMachine: Sendable {
  typealias Ticket = CapturePlaces.Ticket

  /// The longest time for which a capture waits until the exposure of a camera that has just started settles,
  /// nanoseconds. A snapshot waits as long.
  static let longestSettling: UInt64 = 2_000_000_000

  /// The captures under way.
  var places: CapturePlaces
  /// The captures that a client is about to ask for.
  var tracked = TrackedCaptures()
  /// What is made ready for captures to come.
  var prepared = PreparedSettings()
  private(set) var conditions: OutputConditions
  /// The shot that is under way.
  var shots = ShotProgress()
  /// The capture that waits for frames of several cameras.
  private(set) var constituents = ConstituentMatch()
  private var flash = FlashDecision()
  private var bursts = BurstDetector()
  var forecast: ProcessingForecast
  private var deadlines = DeadlineWatch()
  /// The readiness that watchers know.
  private var told = CaptureReadiness.sessionNotRunning
  /// What changes since the last ``takeActions()`` left behind.
  var actions = PhotoQueueActions()

  init(maxPending: Int, features: PhotoFeatures, frameCount: @escaping @Sendable (PhotoQuality) -> Int) {
    places = CapturePlaces(maxPending: maxPending, features: features)
    forecast = ProcessingForecast(frameCount: frameCount)
    conditions = OutputConditions()
    conditions.photoFeatures = features
  }

  /// Whether a client may ask for the next photo. Without a connection it may not.
  var readiness: CaptureReadiness {
    conditions.connection.isEnabled ? places.readiness(tracked: tracked) : .sessionNotRunning
  }

  /// Whether no capture is under way and nothing is kept ready.
  var needsNoMemory: Bool { places.isIdle && prepared.isEmpty }

  /// Returns what is to be performed after the changes so far, and begins the captures whose turn has come.
  mutating func takeActions() -> PhotoQueueActions {
    let turns = places.beginNext()
    if shots.hasStep, let waiter = shots.endStep(unlessIn: places) { actions.answers.append(.endExposure(waiter, nil)) }
    if constituents.isWaiting, constituents.end(unlessIn: places) { actions.work.append(.tapCameras) }
    var taken = PhotoQueueActions()
    swap(&taken, &actions)
    let readiness = readiness
    if readiness != told {
      told = readiness
      // First, so that a client that gets the last event of a capture finds the new readiness.
      taken.answers.insert(.tellReadiness, at: 0)
    }
    if places.readyCount > 0 { taken.work.append(.wakeWorkers(places.readyCount)) }
    if places.isPrepared, places.isRunning, let warmUp = prepared.beginWarmUp() { taken.work.append(.warmUp(warmUp)) }
    if let watcher = deadlines.begin(before: nextDeadline) { taken.work.append(.watchDeadlines(watcher)) }
    // The check is for the path of each frame: a loop over no turns would still copy the bytes of one.
    if turns.isEmpty { return taken }
    let limit = conditions.limits.fusedFrames ?? .max
    for turn in turns {
      let estimate = forecast.estimate(turn.job.request, turn.job.quality, limit: limit)
      taken.notices.append(.begin(turn.job, estimate))
      taken.work.append(.findFrames(turn))
    }
    return taken
  }

  // MARK: The session

  /// Takes over what the output knows of its session, and fails the captures whose frames cannot come any more.
  mutating func update(_ conditions: OutputConditions) {
    let former = self.conditions
    self.conditions = conditions
    if conditions.isReconfiguring, !former.isReconfiguring {
      fail(places.interrupt(), .interrupted(by: "the session is being reconfigured"))
    }
    if former.connection.isEnabled, !conditions.connection.isEnabled {
      fail(places.removeWaitingAndShooting(), .connectionWasDisabled)
    }
    if conditions.status != former.status {
      fail(places.sessionDidChange(conditions.status.state), .interrupted(by: conditions.status))
    }
    failUnmatchable()
    if former.isSettling, !conditions.isSettling { places.endSettling() }
    guard conditions.photoFeatures != former.photoFeatures else { return }
    places.setFeatures(conditions.photoFeatures)
    actions.work.append(.startWorkers)
  }

  /// Closes the queue: captures that are not being processed fail, and so does the call that prepares settings.
  mutating func close(_ error: CaptureError) {
    fail(places.close(error), .interrupted(by: error.message))
    if let waiter = prepared.close() { actions.answers.append(.endPreparation(waiter, .failure(error))) }
  }

  /// Notes that deferred start is over, which failed if `error` is not nil.
  mutating func endDeferredStart(_ error: CaptureError?) {
    fail(
      places.endDeferredStart(),
      error ?? CaptureError(.processingFailed, "The photo output was not prepared by deferred start."))
  }

  private mutating func runDeferredStart() {
    if places.beginDeferredStart(ofCamera: conditions.status.awaitsDeferredStart) {
      actions.work.append(.runDeferredStart)
    }
  }

  /// The error is made only when a capture fails: making one for every change of the session's status would cost a
  /// launch allocations.
  private mutating func fail(_ jobs: [PhotoJob], _ error: @autoclosure () -> CaptureError) {
    if jobs.isEmpty { return }
    let error = error()
    for job in jobs { actions.answers.append(.fail(job, error)) }
  }

  // MARK: Requests

  /// Returns the quality that the photo of a request gets. The request counts for the detection of bursts.
  mutating func resolveQuality(of request: PhotoRequest) -> PhotoQuality {
    bursts.quality(of: request, places.features, isBusy: !places.isIdle)
  }

  /// Until when a capture waits for the exposure to settle, because its camera was off or it comes after such a
  /// capture; nil for any other capture. A client that names a moment wants to see that moment.
  func settlingEnd(for request: PhotoRequest, at now: MonotonicInstant) -> MonotonicInstant? {
    if request.moment != nil { return nil }
    return places.settlingEnd ?? (request.awaitsSettling && conditions.isSettling ? now + Self.longestSettling : nil)
  }

  /// Adds a capture at the end, and asks for deferred start if the output is not prepared. The caller has checked for
  /// room.
  ///
  /// - Parameter settlingEnd: as ``settlingEnd(for:at:)``.
  mutating func enqueue(_ job: PhotoJob, _ held: HeldFrame?, settlingUntil settlingEnd: MonotonicInstant? = nil) {
    tracked.stop(job.uniqueID)
    let traits = CapturePlace.Traits(job.request, setsCamera: job.shot != nil, places.features)
    places.enqueue(job, traits, held: held, settlingUntil: settlingEnd)
    runDeferredStart()
  }

  /// Takes over the settings that captures to come will have, in place of all former ones.
  ///
  /// - Parameter memory: keeps memory free for their photos; nil for no settings.
  mutating func prepare(_ settings: [PhotoRequest], _ waiter: PreparedSettings.Waiter, _ memory: MemoryHold?) {
    if let former = prepared.set(settings, waiter: waiter, memory: memory) {
      actions.answers.append(.endPreparation(former, .success(false)))
    }
    if settings.isEmpty {
      actions.answers.append(.endPreparation(waiter, .success(true)))
    } else if conditions.status.state == .running {
      runDeferredStart()
    }
  }

  /// Notes that a warm-up is over; nil for success.
  mutating func warmUpEnded(_ warmUp: PreparedSettings.WarmUp, _ error: CaptureError? = nil) {
    guard let waiter = prepared.warmUpEnded(warmUp) else { return }
    actions.answers.append(.endPreparation(waiter, error.map { .failure($0) } ?? .success(true)))
  }

  /// Adds somebody who waits to know whether an automatic flash fires.
  mutating func waitForFlashDecision(_ answer: AsyncStream<Bool>.Continuation) {
    if flash.wait(answer) { actions.work.append(.measureLight) }
  }

  /// Decides whether automatic flash fires; nil when the scene's luma could not be measured.
  mutating func decideFlash(luma: Double?) {
    let (waiting, isDark) = flash.decide(luma: luma)
    actions.answers.append(.decideFlash(waiting, isDark: isDark))
  }

  // MARK: Deadlines

  /// When the wait of a capture, or its tracking, ends by itself.
  private var nextDeadline: MonotonicInstant? {
    guard let wait = places.nextDeadline else { return tracked.nextEnd }
    return tracked.nextEnd.map { min($0, wait) } ?? wait
  }

  /// Until when this watcher sleeps; nil when it ends.
  mutating func nextWake(of watcher: UInt64) -> MonotonicInstant? { deadlines.next(of: watcher, nextDeadline) }

  /// Ends all that has a deadline which has passed. Captures without a frame fail with `error`.
  ///
  /// - Parameter error: of a capture that waits for frames of several cameras, and of the one that brought none.
  mutating func endLate(at now: MonotonicInstant, _ error: (PhotoRequest, _ silent: String?) -> CaptureError) {
    tracked.removeExpired(at: now)
    for job in places.removeLate(at: now) {
      let full = job.request.constituents.isEmpty ? nil : constituents.inputWithoutMemory
      actions.answers.append(
        .fail(job, full.map(ConstituentMatch.noMemory) ?? error(job.request, constituents.silentInput)))
    }
  }

  // MARK: Shots

  /// Notes that the camera is being set for the capture.
  ///
  /// - Returns: whether the driver's first readings may still be those of another shot.
  mutating func beginShot(_ ticket: Ticket, _ job: PhotoJob) -> Bool {
    places.shoot(ticket)
    return shots.begin(at: job.began)
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
    shots.beginStep(ShotExposure(ticket, job, step, followsOwn: followsOwn, waiter: waiter))
  }

  /// Notes that the shot is over.
  ///
  /// - Parameters:
  ///   - frames: one for each step, or why the capture failed.
  ///   - end: from when on frames have the camera's former settings.
  mutating func endShot(
    _ ticket: Ticket, _ job: PhotoJob, _ frames: Result<[HeldFrame], CaptureError>, end: MonotonicInstant
  ) {
    shots.end(from: job.began, to: end)
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

  // MARK: Captures of several cameras

  /// Lets a capture that has begun wait for its frames until `deadline`.
  mutating func match(_ turn: CapturePlaces.Turn, until deadline: MonotonicInstant) {
    let job = turn.job
    let since = shots.afterShots(turn.isImmediate ? job.request.arrival : job.began)
    match(turn.ticket, job, since: since, until: deadline)
  }

  /// Lets a capture one of whose frames was damaged wait for others.
  ///
  /// - Returns: false when no frames will come for it.
  mutating func matchAgain(_ work: PhotoAssignment, until deadline: MonotonicInstant) -> Bool {
    guard places.isRunning, places.holds(work.ticket),
      ConstituentMatch.obstacle(of: work.job, conditions.constituents) == nil
    else { return false }
    let last = ([work.capture.held] + work.capture.held.following).map(\.captured.time).max() ?? .epoch
    match(work.ticket, work.job, since: shots.afterShots(last + 1), until: deadline)
    return true
  }

  private mutating func match(
    _ ticket: Ticket, _ job: PhotoJob, since earliest: MonotonicInstant, until deadline: MonotonicInstant
  ) {
    guard places.holds(ticket) else { return }
    let end = constituents.begin(ticket, job, of: conditions.constituents, since: earliest, until: deadline)
    places.match(ticket, deadline: end)
    actions.work.append(.tapCameras)
    failUnmatchable()
  }

  /// Takes a frame of a camera that is tapped, and gives the capture its frames if they are complete now.
  mutating func constituentArrived(_ frame: CapturedFrame, at now: MonotonicInstant) {
    guard let found = constituents.offer(frame, of: conditions.constituents, shots.shadow, at: now) else { return }
    actions.work.append(.tapCameras)
    if !found.job.isReplaced {
      actions.notices.append(.send(found.job, .willCapturePhoto))
      for held in [found.held] + found.held.following {
        actions.notices.append(.send(found.job, .didCapturePhoto(held.captured)))
      }
    }
    places.setCaptured(found.ticket, found.held)
  }

  /// Fails the capture that waits if one of its cameras brings no frame any more.
  private mutating func failUnmatchable() {
    guard let (ticket, job, error) = constituents.failure(of: conditions.constituents, in: places) else { return }
    places.remove(ticket)
    actions.answers.append(.fail(job, error))
    if constituents.end(unlessIn: places) { actions.work.append(.tapCameras) }
  }
}

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
  private(set) var tracked = TrackedCaptures()
  /// What is made ready for captures to come.
  var prepared = PreparedSettings()
  private(set) var conditions: OutputConditions
  /// The step of a shot that is under way, or nothing. In an array, because looking at an optional copies what it
  /// holds, which each frame would do.
  var steps: [ShotExposure] = []
  /// The capture that waits for frames of several cameras, or nothing; in an array for the same reason.
  var matches: [Match] = []
  /// When the camera was set for captures.
  var shadow = ShotShadow()
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
    if !steps.isEmpty, !places.holds(steps[0].ticket) { endExposure(nil) }
    if !matches.isEmpty, !places.holds(matches[0].ticket) { endMatch() }
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

  /// Notes that the output can make photos.
  mutating func setPrepared() { places.setPrepared() }

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
    // One flash lights one frame, the photos of a bracket are exposed differently on purpose, and those of several
    // cameras show one instant: none is merged.
    let isSingle =
      request.exposure.flashMode == .on || !request.exposure.bracket.isEmpty || !request.constituents.isEmpty
    let features = places.features
    let wanted = isSingle ? .speed : request.quality ?? min(.balanced, features.maxQuality)
    let allowed =
      features.fastCapturePrioritization
      ? bursts.resolve(wanted, at: request.arrival, isBusy: !places.isIdle) : wanted
    return request.exposure.mergesBracket ? .quality : allowed
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
    let setsCamera = job.shot != nil
    let isOfSeveral = !job.request.constituents.isEmpty
    let traits = CapturePlaces.Traits(
      overlaps: job.request.mayOverlap && !setsCamera && !isOfSeveral,
      waitsForSensor: !places.features.zeroShutterLag || setsCamera || isOfSeveral, setsCamera: setsCamera)
    places.enqueue(job, traits, held: held, settlingUntil: settlingEnd)
    runDeferredStart()
  }

  /// Counts a capture into readiness before the client asks for it.
  ///
  /// - Parameter watcher: ends the tracking when it goes; nil for all watchers together.
  /// - Throws: `streamNotFound`, `tooManyRequests`.
  mutating func track(_ request: PhotoRequest, watcher: String?, at now: MonotonicInstant) throws(CaptureError) {
    let features = places.features
    let setsCamera = request.shot(flash: request.exposure.flashMode == .on, features.shots) != nil
    try tracked.start(
      request.uniqueID, watcher: watcher,
      waitsForSensor: !features.zeroShutterLag || setsCamera || !request.constituents.isEmpty, at: now)
  }

  /// Changes which captures are tracked, and by whom.
  mutating func changeTracked<R, E: Error>(_ body: (inout TrackedCaptures) throws(E) -> R) throws(E) -> R {
    try body(&tracked)
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

  /// Notes that the frame of a warm-up was damaged, so that the next frame begins it anew.
  mutating func warmUpFoundDamage(_ warmUp: PreparedSettings.WarmUp) { prepared.warmUpFoundDamage(warmUp) }

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
    let frames = matches.first?.frames
    for job in places.removeLate(at: now) {
      let full = job.request.constituents.isEmpty ? nil : frames?.inputWithoutMemory
      actions.answers.append(.fail(job, full.map(Self.noMemory) ?? error(job.request, frames?.silentInput)))
    }
  }
}

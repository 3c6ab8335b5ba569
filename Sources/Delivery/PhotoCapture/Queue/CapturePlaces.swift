internal import CaptureCore
internal import SystemClocks

/// The captures that are under way, each at its ``CapturePlace``, in the order in which clients asked for them. A
/// value, which ``PhotoQueueStateMachine`` holds.
///
/// A capture is queued until its turn has come, waits for frames if it has none, is ready, is processed and encoded,
/// and is delivered once all captures before it have been. Without responsive capture, the turn of the next capture
/// comes only when the one before it has left.
struct CapturePlaces: Sendable {
  typealias Ticket = CapturePlace.Ticket
  typealias Traits = CapturePlace.Traits

  /// A capture whose turn has come.
  struct Turn: Sendable {
    var ticket: Ticket
    var job: PhotoJob
    /// The frame that was held for the capture when the client asked for it.
    var held: HeldFrame?
    /// Whether the capture did not have to wait for its turn.
    var isImmediate: Bool
  }

  /// The places in the order of the requests.
  private var places: [CapturePlace] = []
  /// The captures that were ended while a thread works on them, and whether the thread still processes them. Such a
  /// place is free only when its thread is.
  private var abandoned: [Ticket: Bool] = [:]
  private var lastTicket: Ticket = 0
  private(set) var features: PhotoFeatures
  private(set) var isPrepared = false
  private(set) var isRunning = false
  private var deferredStartRuns = false
  private(set) var closed: CaptureError?
  let maxPending: Int
  /// How many captures may be processed at once.
  var maxProcessing = 1

  init(maxPending: Int, features: PhotoFeatures) {
    self.maxPending = maxPending
    self.features = features
  }

  /// Checks that one more capture may be asked for.
  ///
  /// - Throws: `tooManyRequests`; once the output is closed, the error that closed it.
  func checkRoom() throws(CaptureError) {
    if let closed { throw closed }
    guard places.count < maxPending else {
      throw CaptureError(
        .tooManyRequests, "\(maxPending) captures are waiting already, which is the most.",
        metadata: ["limit": "\(maxPending)"])
    }
  }

  /// Adds a capture at the end. The caller has checked for room.
  ///
  /// - Parameter deadline: until when the capture waits for ``endSettling()``; nil for a capture that need not.
  mutating func enqueue(
    _ job: PhotoJob, _ traits: Traits = Traits(), held: HeldFrame? = nil,
    settlingUntil deadline: MonotonicInstant? = nil
  ) {
    lastTicket += 1
    places.append(CapturePlace(lastTicket, job, traits, held: held, settlingUntil: deadline))
  }

  /// Until when captures wait for the exposure to settle; nil when none does.
  var settlingEnd: MonotonicInstant? { places.first(where: \.awaitsSettling)?.deadline }

  /// Lets the captures begin that wait until the exposure has settled.
  mutating func endSettling() {
    for index in places.indices { places[index].endSettling() }
  }

  /// Begins the captures whose turn has come, and returns them.
  mutating func beginNext() -> [Turn] {
    var turns: [Turn] = []
    for index in places.indices where places[index].isQueued {
      guard mayBegin(index) else { break }
      turns.append(places[index].begin())
    }
    for index in places.indices { places[index].letWait() }
    return turns
  }

  /// Whether the turn of the capture at `index` has come. All captures before it have begun.
  private func mayBegin(_ index: Int) -> Bool {
    if places[index].awaitsSettling { return false }
    // Without responsive capture, no frame is held for an output that is not ready.
    guard features.responsiveCapture else { return mayProcess && index == 0 && abandoned.isEmpty }
    guard index + abandoned.count < features.maxInFlight else { return false }
    // Deferred start may open the camera, which can be set only when it runs.
    if places[index].traits.setsCamera, deferredStartRuns { return false }
    return index == 0 || places[...index].allSatisfy(\.traits.overlaps)
  }

  /// Removes a capture: it was delivered, or failed.
  mutating func remove(_ ticket: Ticket) { places.removeAll { $0.ticket == ticket } }

  /// Lets the capture wait for a frame until `deadline`, when ``removeLate(at:)`` ends the wait.
  mutating func wait(_ ticket: Ticket, earliest: MonotonicInstant, deadline: MonotonicInstant? = nil) {
    change(ticket) { $0.wait(earliest: earliest, until: deadline) }
  }

  /// Lets the capture wait for frames of several cameras until `deadline`, when ``removeLate(at:)`` ends the wait.
  mutating func match(_ ticket: Ticket, deadline: MonotonicInstant) { change(ticket) { $0.match(until: deadline) } }

  /// Notes that the camera is being set for the capture. The stage lasts until
  /// ``setCaptured(_:_:missing:after:deadline:)`` or ``abandon(_:)``. When the session stops, nobody has to abandon the
  /// capture, because the shot ends by itself.
  mutating func shoot(_ ticket: Ticket) { change(ticket) { $0.shoot() } }

  /// Removes a capture that the camera was set for.
  ///
  /// - Returns: false when it was removed before.
  mutating func abandon(_ ticket: Ticket) -> Bool {
    guard let index = index(ticket), places[index].isShooting else { return false }
    places.remove(at: index)
    return true
  }

  /// Ends the wait of a capture whose frame was found in the ring.
  ///
  /// - Returns: false when the capture does not wait any more: it got a frame, or ended.
  mutating func endWait(_ ticket: Ticket) -> Bool {
    index(ticket).map { places[$0].endWait() } ?? false
  }

  /// Gives a frame that the camera captured at `time` to the captures that wait for one. The frame ends a wait, or
  /// `add` adds it to the frames of a capture that gathers several.
  ///
  /// - Parameter add: says whether further frames may follow. If not, the photo is made of the frames that it has.
  /// - Returns: the captures whose wait the frame ended.
  mutating func frameArrived(
    at time: MonotonicInstant, adding add: (inout HeldFrame) -> Bool
  ) -> [(Ticket, PhotoJob)] {
    var taken: [(Ticket, PhotoJob)] = []
    for index in places.indices where places[index].frameArrived(at: time, adding: add) {
      taken.append((places[index].ticket, places[index].job))
    }
    return taken
  }

  /// Gives the capture its frame. The capture is ready to be processed, or takes `missing` further frames first,
  /// captured after `time` and before `deadline`. A frame that was found in the ring may still be delivered, hence
  /// `time`.
  mutating func setCaptured(
    _ ticket: Ticket, _ held: HeldFrame, missing: Int = 0, after time: MonotonicInstant = .epoch,
    deadline: MonotonicInstant? = nil
  ) {
    let missing = isRunning ? missing : 0
    change(ticket) { $0.setCaptured(held, missing: missing, after: time, until: deadline) }
  }

  /// The next deadline of a capture; nil while none waits for frames or for the exposure to settle.
  var nextDeadline: MonotonicInstant? { places.compactMap(\.deadline).min() }

  /// Ends the wait of the captures whose deadline has passed, because the camera brings no frames and does not say so.
  /// A capture that has its frame goes on with the frames that it has, and one that waits for the exposure to settle
  /// does without that.
  ///
  /// - Returns: the captures that have none; they are removed.
  mutating func removeLate(at now: MonotonicInstant) -> [PhotoJob] {
    let late = removeAll { $0.hasNoFrame && $0.isLate(at: now) }
    for index in places.indices where places[index].isLate(at: now) {
      places[index].endGathering()
      places[index].endSettling()
    }
    return late
  }

  /// How many captures ``next()`` could return now, one after the other.
  var readyCount: Int {
    guard mayProcess else { return 0 }
    return max(0, min(places.count(where: \.isReady), maxProcessing - inProcess))
  }

  /// Whether photos may be processed. A deferred start that a capture asked for must be over and announced: this output
  /// may be ready before the other outputs are.
  private var mayProcess: Bool { isPrepared && !deferredStartRuns }

  /// Whether no capture is under way and no thread works on one.
  var isIdle: Bool { places.isEmpty && abandoned.isEmpty }

  private var inProcess: Int { places.count(where: \.isProcessing) + abandoned.values.count { $0 } }

  /// Returns the first capture that can be processed now, which from then on is. It keeps its place until it is
  /// removed.
  mutating func next() -> (Ticket, PhotoJob, HeldFrame)? {
    guard mayProcess, inProcess < maxProcessing else { return nil }
    guard let index = places.firstIndex(where: \.isReady) else { return nil }
    return places[index].process().map { (places[index].ticket, places[index].job, $0) }
  }

  /// Whether the capture is still under way.
  func holds(_ ticket: Ticket) -> Bool { places.contains { $0.ticket == ticket } }

  /// Notes that the capture's picture is made, so that its thread only encodes.
  mutating func setEncoding(_ ticket: Ticket) {
    if abandoned[ticket] != nil { abandoned[ticket] = false }
    change(ticket) { $0.encode() }
  }

  /// Notes that the capture's thread is done.
  mutating func finish(_ ticket: Ticket, _ result: Result<[Photo], CaptureError>) {
    abandoned[ticket] = nil
    change(ticket) { $0.finish(result) }
  }

  /// Returns the first capture if it is finished. The caller delivers it and then removes it.
  mutating func nextDelivery() -> (Ticket, PhotoJob, Result<[Photo], CaptureError>)? {
    guard !places.isEmpty, let result = places[0].deliver() else { return nil }
    return (places[0].ticket, places[0].job, result)
  }

  /// Takes over the session's state.
  ///
  /// - Returns: the captures that waited for a frame, which now will not come; they are removed.
  mutating func sessionDidChange(_ state: SessionState) -> [PhotoJob] {
    isRunning = state == .running
    switch state {
    case .running, .starting: return []
    case .stopped, .stopping, .interrupted: return removeWaiting()
    }
  }

  /// Removes the captures that have no frame, and returns them. A capture that has its frame goes on with the frames
  /// that it has. A shot may have all its frames already, so that it goes on too and ends by itself.
  mutating func removeWaiting() -> [PhotoJob] {
    for index in places.indices { places[index].endGathering() }
    return removeAll { $0.hasNoFrame || $0.isQueuedWithoutFrame }
  }

  /// Removes the captures that have no frame, shots included, and returns them: the camera runs, but the output gets no
  /// frames.
  mutating func removeWaitingAndShooting() -> [PhotoJob] {
    removeAll(where: \.isShooting) + removeWaiting()
  }

  /// Notes that the output is prepared.
  mutating func setPrepared() { isPrepared = true }

  /// Takes over the features for captures that begin from now on.
  mutating func setFeatures(_ features: PhotoFeatures) { self.features = features }

  /// Returns whether the caller has to run deferred start: the output is not prepared or its camera waits for deferred
  /// start, and no capture runs it already.
  mutating func beginDeferredStart(ofCamera isAwaited: Bool) -> Bool {
    if isPrepared && !isAwaited || deferredStartRuns { return false }
    deferredStartRuns = true
    return true
  }

  /// Notes that deferred start is over.
  ///
  /// - Returns: the captures that cannot be processed because the output is still not prepared; they are removed.
  mutating func endDeferredStart() -> [PhotoJob] {
    deferredStartRuns = false
    return isPrepared ? [] : removeUnprocessed()
  }

  /// Closes the queue; the first error counts.
  ///
  /// - Returns: the captures that will not be processed; they are removed.
  mutating func close(_ error: CaptureError) -> [PhotoJob] {
    if closed == nil { closed = error }
    isRunning = false
    return removeUnprocessed()
  }

  /// Removes every capture that is not being delivered, and returns them. What a thread makes of them is lost.
  mutating func interrupt() -> [PhotoJob] {
    for place in places where place.isProcessing || place.isEncoding {
      abandoned[place.ticket] = place.isProcessing
    }
    return removeAll { !$0.isDelivering }
  }

  private mutating func removeUnprocessed() -> [PhotoJob] {
    removeAll { !$0.isProcessing && !$0.isPastProcessing }
  }

  private mutating func removeAll(where isOut: (CapturePlace) -> Bool) -> [PhotoJob] {
    let removed = places.filter(isOut).map(\.job)
    places.removeAll(where: isOut)
    return removed
  }

  private mutating func change(_ ticket: Ticket, _ body: (inout CapturePlace) -> Void) {
    if let index = index(ticket) { body(&places[index]) }
  }

  private func index(_ ticket: Ticket) -> Int? { places.firstIndex { $0.ticket == ticket } }

  /// Whether a client may ask for the next photo. A tracked capture counts as one that was asked for.
  ///
  /// With responsive capture, the output is ready while it would process a request at once. Without it, the output is
  /// ready while no capture is under way.
  func readiness(tracked: TrackedCaptures = TrackedCaptures()) -> CaptureReadiness {
    if !isRunning { return .sessionNotRunning }
    if !isPrepared { return .notReadyMomentarily }
    let isResponsive = features.responsiveCapture
    if tracked.waitsForSensor || places.contains(where: { $0.waitsForSensor(isResponsive: isResponsive) }) {
      return .notReadyWaitingForCapture
    }
    if isResponsive {
      let isFree =
        places.count + abandoned.count < features.maxInFlight && places.allSatisfy(\.isPastProcessing)
      return isFree && !abandoned.values.contains(true) && tracked.isEmpty ? .ready : .notReadyMomentarily
    }
    return isIdle && tracked.isEmpty ? .ready : .notReadyWaitingForProcessing
  }
}

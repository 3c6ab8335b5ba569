internal import CaptureCore
internal import SystemClocks

/// The captures that are under way, each at its place, in the order in which clients asked for them. A value, which
/// ``PhotoQueueStateMachine`` holds.
///
/// A capture is queued until its turn has come, waits for frames if it has none, is ready, is processed and encoded,
/// and is delivered once all captures before it have been. Without responsive capture, the turn of the next capture
/// comes only when the one before it has left.
struct CapturePlaces: Sendable {
  /// Names a capture's place.
  typealias Ticket = UInt64

  /// What decides when a capture begins and what readiness is meanwhile.
  struct Traits: Hashable, Sendable {
    /// Whether other captures may be under way at the same time.
    var overlaps = true
    /// Whether the capture waits for a frame that the camera captures after the request.
    var waitsForSensor = false
    /// Whether the camera is set for the capture.
    var setsCamera = false
  }

  /// A capture whose turn has come.
  struct Turn: Sendable {
    var ticket: Ticket
    var job: PhotoJob
    /// The frame that was held for the capture when the client asked for it.
    var held: HeldFrame?
    /// Whether the capture did not have to wait for its turn.
    var isImmediate: Bool
  }

  enum Stage: Sendable {
    case queued(HeldFrame?)
    /// The capture has begun: its frame is looked for, or was found and is about to be set.
    case beginning
    /// The capture takes the first frame that the camera captured at `earliest` or later.
    case waiting(earliest: MonotonicInstant)
    /// The capture takes frames of several cameras that were captured at the same time.
    case matching
    /// The camera is set for the capture, and its frames are taken.
    case shooting
    /// The capture has its frame, and takes further ones that the camera captured after `after`.
    case gathering(HeldFrame, missing: Int, after: MonotonicInstant)
    case ready(HeldFrame)
    case processing
    case encoding
    case finished(Result<[Photo], CaptureError>)
    case delivering

    /// Whether the capture has begun and waits for the first of its frames.
    var hasNoFrame: Bool {
      switch self {
      case .waiting, .matching: true
      default: false
      }
    }
  }

  struct Entry: Sendable {
    var ticket: Ticket
    var job: PhotoJob
    var traits: Traits
    var stage: Stage
    var isNew = true
    /// Until when the capture waits for frames, or, before its turn, for the exposure to settle; nil while it does not
    /// wait.
    var deadline: MonotonicInstant?

    var isInProcess: Bool { if case .processing = stage { true } else { false } }
    var isQueued: Bool { if case .queued = stage { true } else { false } }
    var awaitsSettling: Bool { isQueued && deadline != nil }
  }

  var entries: [Entry] = []
  /// The captures that were ended while a thread works on them, and whether the thread still processes them. Such a
  /// place is free only when its thread is.
  private(set) var abandoned: [Ticket: Bool] = [:]
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
    guard entries.count < maxPending else {
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
    entries.append(Entry(ticket: lastTicket, job: job, traits: traits, stage: .queued(held), deadline: deadline))
  }

  /// Until when captures wait for the exposure to settle; nil when none does.
  var settlingEnd: MonotonicInstant? { entries.first(where: \.awaitsSettling)?.deadline }

  /// Lets the captures begin that wait until the exposure has settled.
  mutating func endSettling() {
    for index in entries.indices where entries[index].isQueued { entries[index].deadline = nil }
  }

  /// Begins the captures whose turn has come, and returns them.
  mutating func beginNext() -> [Turn] {
    var turns: [Turn] = []
    for index in entries.indices {
      guard case .queued(let held) = entries[index].stage else { continue }
      guard mayBegin(index) else { break }
      let entry = entries[index]
      turns.append(Turn(ticket: entry.ticket, job: entry.job, held: held, isImmediate: entry.isNew))
      entries[index].stage = .beginning
    }
    for index in entries.indices { entries[index].isNew = false }
    return turns
  }

  /// Whether the turn of the capture at `index` has come. All captures before it have begun.
  private func mayBegin(_ index: Int) -> Bool {
    if entries[index].awaitsSettling { return false }
    // Without responsive capture, no frame is held for an output that is not ready.
    guard features.responsiveCapture else { return mayProcess && index == 0 && abandoned.isEmpty }
    guard index + abandoned.count < features.maxInFlight else { return false }
    // Deferred start may open the camera, which can be set only when it runs.
    if entries[index].traits.setsCamera, deferredStartRuns { return false }
    return index == 0 || entries[...index].allSatisfy(\.traits.overlaps)
  }

  /// Removes a capture: it was delivered, or failed.
  mutating func remove(_ ticket: Ticket) { entries.removeAll { $0.ticket == ticket } }

  /// Lets the capture wait for a frame until `deadline`, when ``removeLate(at:)`` ends the wait.
  mutating func wait(_ ticket: Ticket, earliest: MonotonicInstant, deadline: MonotonicInstant? = nil) {
    set(ticket, .waiting(earliest: earliest), deadline: deadline)
  }

  /// Lets the capture wait for frames of several cameras until `deadline`, when ``removeLate(at:)`` ends the wait.
  mutating func match(_ ticket: Ticket, deadline: MonotonicInstant) { set(ticket, .matching, deadline: deadline) }

  /// Notes that the camera is being set for the capture. The stage lasts until
  /// ``setCaptured(_:_:missing:after:deadline:)`` or ``abandon(_:)``. When the session stops, nobody has to abandon the
  /// capture, because the shot ends by itself.
  mutating func shoot(_ ticket: Ticket) { set(ticket, .shooting) }

  /// Removes a capture that the camera was set for.
  ///
  /// - Returns: false when it was removed before.
  mutating func abandon(_ ticket: Ticket) -> Bool {
    guard let index = index(ticket), case .shooting = entries[index].stage else { return false }
    entries.remove(at: index)
    return true
  }

  /// Ends the wait of a capture whose frame was found in the ring.
  ///
  /// - Returns: false when the capture does not wait any more: it got a frame, or ended.
  mutating func endWait(_ ticket: Ticket) -> Bool {
    guard let index = index(ticket), case .waiting = entries[index].stage else { return false }
    set(ticket, .beginning)
    return true
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
    for index in entries.indices {
      switch entries[index].stage {
      case .waiting(let earliest) where time >= earliest:
        (entries[index].stage, entries[index].deadline) = (.beginning, nil)
        taken.append((entries[index].ticket, entries[index].job))
      case .gathering(var held, let missing, let after) where time > after:
        if add(&held), missing > 1 {
          entries[index].stage = .gathering(held, missing: missing - 1, after: time)
        } else {
          (entries[index].stage, entries[index].deadline) = (.ready(held), nil)
        }
      default: break
      }
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
    if missing > 0, isRunning {
      set(ticket, .gathering(held, missing: missing, after: time), deadline: deadline)
    } else {
      set(ticket, .ready(held))
    }
  }

  /// The next deadline of a capture; nil while none waits for frames or for the exposure to settle.
  var nextDeadline: MonotonicInstant? { entries.compactMap(\.deadline).min() }

  /// Ends the wait of the captures whose deadline has passed, because the camera brings no frames and does not say so.
  /// A capture that has its frame goes on with the frames that it has, and one that waits for the exposure to settle
  /// does without that.
  ///
  /// - Returns: the captures that have none; they are removed.
  mutating func removeLate(at now: MonotonicInstant) -> [PhotoJob] {
    var late: [PhotoJob] = []
    entries.removeAll { entry in
      guard let deadline = entry.deadline, deadline <= now, entry.stage.hasNoFrame else { return false }
      late.append(entry.job)
      return true
    }
    for index in entries.indices {
      guard let deadline = entries[index].deadline, deadline <= now else { continue }
      switch entries[index].stage {
      case .gathering(let held, _, _): (entries[index].stage, entries[index].deadline) = (.ready(held), nil)
      case .queued: entries[index].deadline = nil
      default: break
      }
    }
    return late
  }

  /// How many captures ``next()`` could return now, one after the other.
  var readyCount: Int {
    guard mayProcess else { return 0 }
    let ready = entries.count { if case .ready = $0.stage { true } else { false } }
    return max(0, min(ready, maxProcessing - inProcess))
  }

  /// Whether photos may be processed. A deferred start that a capture asked for must be over and announced: this output
  /// may be ready before the other outputs are.
  private var mayProcess: Bool { isPrepared && !deferredStartRuns }

  /// Whether no capture is under way and no thread works on one.
  var isIdle: Bool { entries.isEmpty && abandoned.isEmpty }

  private var inProcess: Int { entries.count(where: \.isInProcess) + abandoned.values.count { $0 } }

  /// Returns the first capture that can be processed now, which from then on is. It keeps its place until it is
  /// removed.
  mutating func next() -> (Ticket, PhotoJob, HeldFrame)? {
    guard mayProcess, inProcess < maxProcessing else { return nil }
    for index in entries.indices {
      guard case .ready(let held) = entries[index].stage else { continue }
      entries[index].stage = .processing
      return (entries[index].ticket, entries[index].job, held)
    }
    return nil
  }

  /// Whether the capture is still under way.
  func holds(_ ticket: Ticket) -> Bool { entries.contains { $0.ticket == ticket } }

  /// Notes that the capture's picture is made, so that its thread only encodes.
  mutating func setEncoding(_ ticket: Ticket) {
    if abandoned[ticket] != nil { abandoned[ticket] = false }
    set(ticket, .encoding)
  }

  /// Notes that the capture's thread is done.
  mutating func finish(_ ticket: Ticket, _ result: Result<[Photo], CaptureError>) {
    abandoned[ticket] = nil
    set(ticket, .finished(result))
  }

  /// Returns the first capture if it is finished. The caller delivers it and then removes it.
  mutating func nextDelivery() -> (Ticket, PhotoJob, Result<[Photo], CaptureError>)? {
    guard case .finished(let result)? = entries.first?.stage else { return nil }
    entries[0].stage = .delivering
    return (entries[0].ticket, entries[0].job, result)
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
    for index in entries.indices {
      guard case .gathering(let held, _, _) = entries[index].stage else { continue }
      (entries[index].stage, entries[index].deadline) = (.ready(held), nil)
    }
    return removeAll {
      if case .queued(nil) = $0 { true } else { $0.hasNoFrame }
    }
  }

  /// Removes the captures that have no frame, shots included, and returns them: the camera runs, but the output gets no
  /// frames.
  mutating func removeWaitingAndShooting() -> [PhotoJob] {
    removeAll { if case .shooting = $0 { true } else { false } } + removeWaiting()
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
    for entry in entries {
      switch entry.stage {
      case .processing: abandoned[entry.ticket] = true
      case .encoding: abandoned[entry.ticket] = false
      default: break
      }
    }
    return removeAll { if case .delivering = $0 { false } else { true } }
  }

  private mutating func removeUnprocessed() -> [PhotoJob] {
    removeAll {
      switch $0 {
      case .processing, .encoding, .finished, .delivering: false
      default: true
      }
    }
  }

  private mutating func removeAll(where isOut: (Stage) -> Bool) -> [PhotoJob] {
    let removed = entries.filter { isOut($0.stage) }.map(\.job)
    entries.removeAll { isOut($0.stage) }
    return removed
  }

  private mutating func set(_ ticket: Ticket, _ stage: Stage, deadline: MonotonicInstant? = nil) {
    if let index = index(ticket) { (entries[index].stage, entries[index].deadline) = (stage, deadline) }
  }

  private func index(_ ticket: Ticket) -> Int? { entries.firstIndex { $0.ticket == ticket } }
}

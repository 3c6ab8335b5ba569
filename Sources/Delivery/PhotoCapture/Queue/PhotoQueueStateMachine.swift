internal import CaptureCore
internal import SystemClocks

/// Captures from request to photo, in the order they were asked for. A value without threads: ``PhotoOutput`` holds it
/// under a lock.
///
/// A capture is queued until its turn has come, waits for frames if it has none, is made ready, processed, encoded, and
/// delivered when those before it are. Without responsive capture the next one's turn comes when it has left.
struct PhotoQueueStateMachine<Job: Sendable, Pinned: Sendable, Photo: Sendable>: Sendable {
  /// Names a place in the queue.
  typealias Ticket = UInt64

  /// What the queue has to know of a request.
  struct Traits: Hashable, Sendable {
    /// Whether others may be under way at the same time.
    var overlaps = true
    /// Whether it waits for a frame captured after the request.
    var waitsForSensor = false
    /// Whether the camera is set for it.
    var setsCamera = false
  }

  /// A capture whose turn has come.
  struct Turn: Sendable {
    var ticket: Ticket
    var job: Job
    /// The frame it had from the request on.
    var pinned: Pinned?
    /// Whether it did not have to wait for its turn.
    var isImmediate: Bool
  }

  enum Stage: Sendable {
    case queued(Pinned?)
    /// Its first events are being sent.
    case beginning
    /// Takes the first frame not captured before.
    case waiting(earliest: MonotonicInstant)
    /// The camera is set for it, and its frames are taken.
    case shooting
    /// Has its frame and takes further ones, captured after that.
    case gathering(Pinned, missing: Int, after: MonotonicInstant)
    case ready(Pinned)
    case processing
    case encoding
    case finished(Result<Photo, CaptureError>)
    case delivering
  }

  struct Entry: Sendable {
    var ticket: Ticket
    var job: Job
    var traits: Traits
    var stage: Stage
    var isNew = true
    /// Until when it waits for frames. Nil while it does not.
    var deadline: MonotonicInstant?

    var isInProcess: Bool { if case .processing = stage { true } else { false } }
  }

  var entries: [Entry] = []
  /// Captures that were ended while a thread works on them, and whether they are still processed: their places are not free
  /// before that thread is.
  private(set) var abandoned: [Ticket: Bool] = [:]
  private var lastTicket: Ticket = 0
  private(set) var features: PhotoFeatures
  private(set) var isPrepared = false
  private(set) var isRunning = false
  private var deferredStartRuns = false
  private(set) var closed: CaptureError?
  let maxPending: Int
  /// Captures that may be processed at once.
  var maxProcessing = 1

  init(maxPending: Int, features: PhotoFeatures) {
    self.maxPending = maxPending
    self.features = features
  }

  /// - Throws: `tooManyRequests`; once closed, the error of that.
  func checkRoom() throws(CaptureError) {
    if let closed { throw closed }
    guard entries.count < maxPending else {
      throw CaptureError(
        .tooManyRequests, "\(maxPending) captures are waiting already, which is the most.",
        metadata: ["limit": "\(maxPending)"])
    }
  }

  /// Takes a place at the end; check for room before.
  mutating func enqueue(_ job: Job, _ traits: Traits = Traits(), pinned: Pinned? = nil) {
    lastTicket += 1
    entries.append(Entry(ticket: lastTicket, job: job, traits: traits, stage: .queued(pinned)))
  }

  /// The captures whose turn has come; they are begun by this.
  mutating func beginNext() -> [Turn] {
    var turns: [Turn] = []
    for index in entries.indices {
      guard case .queued(let pinned) = entries[index].stage else { continue }
      guard mayBegin(index) else { break }
      let entry = entries[index]
      turns.append(Turn(ticket: entry.ticket, job: entry.job, pinned: pinned, isImmediate: entry.isNew))
      entries[index].stage = .beginning
    }
    for index in entries.indices { entries[index].isNew = false }
    return turns
  }

  /// All before `index` have begun.
  private func mayBegin(_ index: Int) -> Bool {
    // Without responsive capture nothing is held for an output that is not ready.
    guard features.responsiveCapture else { return mayProcess && index == 0 && abandoned.isEmpty }
    guard index + abandoned.count < features.maxInFlight else { return false }
    return index == 0 || entries[...index].allSatisfy(\.traits.overlaps)
  }

  /// Gives the place back; also how a delivered capture leaves.
  mutating func remove(_ ticket: Ticket) { entries.removeAll { $0.ticket == ticket } }

  /// The capture waits for a frame, until ``removeLate(at:)``.
  mutating func wait(_ ticket: Ticket, earliest: MonotonicInstant, deadline: MonotonicInstant? = nil) {
    set(ticket, .waiting(earliest: earliest), deadline: deadline)
  }

  /// The camera is being set for the capture; ``setCaptured(_:_:missing:after:deadline:)`` or ``abandon(_:)`` ends that,
  /// also when the session stops.
  mutating func shoot(_ ticket: Ticket) { set(ticket, .shooting) }

  /// Gives up a capture that the camera was set for.
  ///
  /// - Returns: false when it was given up before.
  mutating func abandon(_ ticket: Ticket) -> Bool {
    guard let index = index(ticket), case .shooting = entries[index].stage else { return false }
    entries.remove(at: index)
    return true
  }

  /// Ends the wait of one capture whose frame was found elsewhere.
  ///
  /// - Returns: false when it waits no longer: someone else has it.
  mutating func endWait(_ ticket: Ticket) -> Bool {
    guard let index = index(ticket), case .waiting = entries[index].stage else { return false }
    set(ticket, .beginning)
    return true
  }

  /// Gives a frame captured at `time` to all that wait for one: it ends their wait, or is added by `add`.
  ///
  /// - Parameter add: says whether further frames may follow; when not, the photo is made of what is there.
  /// - Returns: those whose wait it ended.
  mutating func frameArrived(
    at time: MonotonicInstant, adding add: (inout Pinned) -> Bool
  ) -> [(Ticket, Job)] {
    var taken: [(Ticket, Job)] = []
    for index in entries.indices {
      switch entries[index].stage {
      case .waiting(let earliest) where time >= earliest:
        (entries[index].stage, entries[index].deadline) = (.beginning, nil)
        taken.append((entries[index].ticket, entries[index].job))
      case .gathering(var pinned, let missing, let after) where time > after:
        if add(&pinned), missing > 1 {
          entries[index].stage = .gathering(pinned, missing: missing - 1, after: time)
        } else {
          (entries[index].stage, entries[index].deadline) = (.ready(pinned), nil)
        }
      default: break
      }
    }
    return taken
  }

  /// The frame is there and its events are sent; with `missing` more to come, captured after `time` and by `deadline`, then
  /// ready to be processed. One that was found in the ring may still arrive.
  mutating func setCaptured(
    _ ticket: Ticket, _ pinned: Pinned, missing: Int = 0, after time: MonotonicInstant = .epoch,
    deadline: MonotonicInstant? = nil
  ) {
    if missing > 0, isRunning {
      set(ticket, .gathering(pinned, missing: missing, after: time), deadline: deadline)
    } else {
      set(ticket, .ready(pinned))
    }
  }

  /// When the next capture is late; nil while none waits for frames.
  var nextDeadline: MonotonicInstant? { entries.compactMap(\.deadline).min() }

  /// Ends the wait of captures whose deadline is over: the camera brings no frames, and says nothing of it. What has a frame
  /// goes on with what it has.
  ///
  /// - Returns: those that have none; they are removed.
  mutating func removeLate(at now: MonotonicInstant) -> [Job] {
    var late: [Job] = []
    entries.removeAll { entry in
      guard let deadline = entry.deadline, deadline <= now, case .waiting = entry.stage else { return false }
      late.append(entry.job)
      return true
    }
    for index in entries.indices {
      guard let deadline = entries[index].deadline, deadline <= now,
        case .gathering(let pinned, _, _) = entries[index].stage
      else { continue }
      (entries[index].stage, entries[index].deadline) = (.ready(pinned), nil)
    }
    return late
  }

  /// How many captures ``next()`` has to give now. No more: whoever is woken for nothing wakes the next.
  var readyCount: Int {
    guard mayProcess else { return 0 }
    let ready = entries.count { if case .ready = $0.stage { true } else { false } }
    return max(0, min(ready, maxProcessing - inProcess))
  }

  /// Not before the deferred start that a capture asked for is over, and told: this output may be ready before others are.
  private var mayProcess: Bool { isPrepared && !deferredStartRuns }

  /// Whether nothing is under way.
  var isIdle: Bool { entries.isEmpty && abandoned.isEmpty }

  private var inProcess: Int { entries.count(where: \.isInProcess) + abandoned.values.count { $0 } }

  /// The first capture that can be processed now. It keeps its place until it is removed.
  mutating func next() -> (Ticket, Job, Pinned)? {
    guard mayProcess, inProcess < maxProcessing else { return nil }
    for index in entries.indices {
      guard case .ready(let pinned) = entries[index].stage else { continue }
      entries[index].stage = .processing
      return (entries[index].ticket, entries[index].job, pinned)
    }
    return nil
  }

  /// Whether somebody still wants it.
  func holds(_ ticket: Ticket) -> Bool { entries.contains { $0.ticket == ticket } }

  mutating func setEncoding(_ ticket: Ticket) {
    if abandoned[ticket] != nil { abandoned[ticket] = false }
    set(ticket, .encoding)
  }

  mutating func finish(_ ticket: Ticket, _ result: Result<Photo, CaptureError>) {
    abandoned[ticket] = nil
    set(ticket, .finished(result))
  }

  /// The first capture, when it is finished: it is to be delivered and then removed.
  mutating func nextDelivery() -> (Ticket, Job, Result<Photo, CaptureError>)? {
    guard case .finished(let result)? = entries.first?.stage else { return nil }
    entries[0].stage = .delivering
    return (entries[0].ticket, entries[0].job, result)
  }

  /// - Returns: captures that waited for a frame, which now will not come; they are removed.
  mutating func sessionDidChange(_ state: SessionState) -> [Job] {
    isRunning = state == .running
    switch state {
    case .running, .starting: return []
    case .stopped, .stopping, .interrupted: return removeWaiting()
    }
  }

  /// What has a frame goes on with what it has. So may a shot have all its frames, and nobody know yet: it ends by itself.
  mutating func removeWaiting() -> [Job] {
    for index in entries.indices {
      guard case .gathering(let pinned, _, _) = entries[index].stage else { continue }
      (entries[index].stage, entries[index].deadline) = (.ready(pinned), nil)
    }
    return removeAll {
      switch $0 {
      case .waiting, .queued(nil): true
      default: false
      }
    }
  }

  /// As ``removeWaiting()``, and shots with them: the camera goes on, but no frame comes from it.
  mutating func removeWaitingAndShooting() -> [Job] {
    removeAll { if case .shooting = $0 { true } else { false } } + removeWaiting()
  }

  mutating func setPrepared() { isPrepared = true }

  mutating func setFeatures(_ features: PhotoFeatures) { self.features = features }

  /// - Returns: whether the caller has to run deferred start: the output is not prepared and nobody runs it.
  mutating func beginDeferredStart() -> Bool {
    if isPrepared || deferredStartRuns { return false }
    deferredStartRuns = true
    return true
  }

  /// - Returns: captures that cannot be processed, because the output is still not prepared; they are removed.
  mutating func endDeferredStart() -> [Job] {
    deferredStartRuns = false
    return isPrepared ? [] : removeUnprocessed()
  }

  /// - Returns: captures that will not be processed; they are removed. Only the first error counts.
  mutating func close(_ error: CaptureError) -> [Job] {
    if closed == nil { closed = error }
    isRunning = false
    return removeUnprocessed()
  }

  /// - Returns: every capture that is not about to be delivered; they are removed, and what is made of them is lost.
  mutating func interrupt() -> [Job] {
    for entry in entries {
      switch entry.stage {
      case .processing: abandoned[entry.ticket] = true
      case .encoding: abandoned[entry.ticket] = false
      default: break
      }
    }
    return removeAll { if case .delivering = $0 { false } else { true } }
  }

  private mutating func removeUnprocessed() -> [Job] {
    removeAll {
      switch $0 {
      case .processing, .encoding, .finished, .delivering: false
      default: true
      }
    }
  }

  private mutating func removeAll(where isOut: (Stage) -> Bool) -> [Job] {
    let removed = entries.filter { isOut($0.stage) }.map(\.job)
    entries.removeAll { isOut($0.stage) }
    return removed
  }

  private mutating func set(_ ticket: Ticket, _ stage: Stage, deadline: MonotonicInstant? = nil) {
    if let index = index(ticket) { (entries[index].stage, entries[index].deadline) = (stage, deadline) }
  }

  private func index(_ ticket: Ticket) -> Int? { entries.firstIndex { $0.ticket == ticket } }
}

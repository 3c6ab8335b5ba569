internal import CaptureCore

/// Captures from request to photo, in the order they were asked for, and what that means for the next one. A value
/// without threads: ``PhotoOutput`` holds it under a lock.
struct PhotoQueueStateMachine<Job: Sendable, Pinned: Sendable>: Sendable {
  /// Names a place in the queue.
  typealias Ticket = UInt64

  private enum Stage: Sendable {
    /// Its first events are being sent.
    case beginning
    /// Takes the first frame not captured before.
    case waiting(earliest: UInt64)
    case ready(Pinned)
    case processing
  }

  private struct Entry: Sendable {
    var ticket: Ticket
    var job: Job
    var stage: Stage
  }

  private var entries: [Entry] = []
  private var lastTicket: Ticket = 0
  private(set) var isPrepared = false
  private var isRunning = false
  private var deferredStartRuns = false
  private(set) var closed: CaptureError?
  let maxPending: Int

  init(maxPending: Int) { self.maxPending = maxPending }

  var readiness: CaptureReadiness {
    if !isRunning { return .sessionNotRunning }
    if !isPrepared { return .notReadyMomentarily }
    if entries.contains(where: { if case .waiting = $0.stage { true } else { false } }) {
      return .notReadyWaitingForCapture
    }
    return entries.isEmpty ? .ready : .notReadyWaitingForProcessing
  }

  /// Takes a place at the end.
  ///
  /// - Throws: `tooManyRequests`; once closed, the error of that.
  mutating func enqueue(_ job: Job) throws(CaptureError) -> Ticket {
    if let closed { throw closed }
    guard entries.count < maxPending else {
      throw CaptureError(
        .tooManyRequests, "\(maxPending) captures are waiting already, which is the most.",
        metadata: ["limit": "\(maxPending)"])
    }
    lastTicket += 1
    entries.append(Entry(ticket: lastTicket, job: job, stage: .beginning))
    return lastTicket
  }

  /// Gives the place back; also how a processed capture leaves.
  mutating func remove(_ ticket: Ticket) { entries.removeAll { $0.ticket == ticket } }

  /// The capture waits for a frame.
  mutating func wait(_ ticket: Ticket, earliest: UInt64) {
    if let index = index(ticket) { entries[index].stage = .waiting(earliest: earliest) }
  }

  /// Ends the wait of one capture whose frame was found elsewhere.
  ///
  /// - Returns: false when it waits no longer: someone else has it.
  mutating func endWait(_ ticket: Ticket) -> Bool {
    guard let index = index(ticket), case .waiting = entries[index].stage else { return false }
    entries[index].stage = .beginning
    return true
  }

  /// Ends the wait of all captures that a frame captured at `time` will do for.
  mutating func frameArrived(at time: UInt64) -> [(Ticket, Job)] {
    var taken: [(Ticket, Job)] = []
    for index in entries.indices {
      guard case .waiting(let earliest) = entries[index].stage, time >= earliest else { continue }
      entries[index].stage = .beginning
      taken.append((entries[index].ticket, entries[index].job))
    }
    return taken
  }

  /// The frame is there and its events are sent; the capture may be processed when its turn comes.
  mutating func setReady(_ ticket: Ticket, _ pinned: Pinned) {
    if let index = index(ticket) { entries[index].stage = .ready(pinned) }
  }

  /// Whether ``next()`` has a capture to give.
  var hasNext: Bool {
    guard isPrepared, case .ready? = entries.first?.stage else { return false }
    return true
  }

  /// The first capture, when it can be processed now. It keeps its place until it is removed.
  mutating func next() -> (Ticket, Job, Pinned)? {
    guard isPrepared, let first = entries.first, case .ready(let pinned) = first.stage else { return nil }
    entries[0].stage = .processing
    return (first.ticket, first.job, pinned)
  }

  /// - Returns: captures that waited for a frame, which now will not come; they are removed.
  mutating func sessionDidChange(_ state: SessionState) -> [Job] {
    isRunning = state == .running
    switch state {
    case .running, .starting: return []
    case .stopped, .stopping, .interrupted: return removeWaiting()
    }
  }

  mutating func removeWaiting() -> [Job] {
    removeAll { if case .waiting = $0 { true } else { false } }
  }

  mutating func setPrepared() { isPrepared = true }

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

  private mutating func removeUnprocessed() -> [Job] {
    removeAll { if case .processing = $0 { false } else { true } }
  }

  private mutating func removeAll(where isOut: (Stage) -> Bool) -> [Job] {
    let removed = entries.filter { isOut($0.stage) }.map(\.job)
    entries.removeAll { isOut($0.stage) }
    return removed
  }

  private func index(_ ticket: Ticket) -> Int? { entries.firstIndex { $0.ticket == ticket } }
}

internal import CaptureCore
internal import SystemClocks

/// What one reader of a history gets next, and when. A value without threads.
struct DelayedReaderState<Status: Hashable & Sendable>: Sendable {
  /// What the reader gets.
  enum Next: Equatable, Sendable {
    case status(Status)
    /// How far the history reaches back.
    case report
    /// The picture at this position of the history.
    case frame(Int)
    /// Nothing before this instant, unless something comes into the history. Nil: nothing until something comes.
    case wait(MonotonicInstant?)
  }

  /// How many times the reader is told how far a history reaches back that is not yet long enough for its delay.
  private static var steps: UInt64 { 20 }

  /// How long after its capture the reader wants each frame, in nanoseconds.
  let delay: UInt64
  /// The status that the reader was told last.
  private var told: Status?
  /// The number of the newest picture that the reader has had or will not get. Nil before the history was looked at for
  /// this reader.
  private var passed: UInt64?
  /// The number of the picture that the reader got last, and what the history had lost up to that picture.
  private var delivered: (number: UInt64, losses: HistoryLosses)?
  /// Pictures since then that could not be read.
  private var unread: UInt64 = 0
  /// What the last report told the reader: how far the history reaches back, in steps, and at which delay frames come.
  private var toldSteps: UInt64?
  private var toldDelay: UInt64

  init(delay: UInt64) {
    self.delay = delay
    toldDelay = delay
  }

  /// The delay at which the reader gets frames: a shorter one than it asked for while the file is too small for that.
  func effectiveDelay<Content>(_ index: HistoryIndex<Content>) -> UInt64 { min(delay, index.reach ?? delay) }

  /// Decides what the reader gets at `now`. The caller says by ``take(_:of:at:)`` that the reader got it.
  mutating func next<Content>(
    at now: MonotonicInstant, _ index: HistoryIndex<Content>, _ statuses: Timeline<Status>
  ) -> Next {
    let delay = effectiveDelay(index)
    let instant = now - delay
    let newest = index.newest(at: instant)
    let passed = passed ?? Self.numberBeforeFirst(newest, at: instant, index)
    self.passed = passed
    // The status comes before the frames that it is about, and first of all.
    if let status = statuses.value(at: instant), status != told { return .status(status) }
    guard told != nil else { return .wait(nil) }
    if let newest, index.entries[newest].number > passed { return .frame(newest) }
    if mustReport(at: now, delay, index) { return .report }
    let following = newest.map { $0 + 1 } ?? 0
    let due = following < index.entries.count ? index.entries[following].captured + delay : nil
    let change = statuses.nextChange(after: instant).map { $0 + delay }
    return .wait([due, change, nextStep(at: now, delay, index)].compactMap(\.self).min())
  }

  /// Takes note that the reader got `next`.
  ///
  /// - Returns: for a frame, what the reader lost since the frame before.
  @discardableResult
  mutating func take<Content>(
    _ next: Next, of index: HistoryIndex<Content>, at now: MonotonicInstant
  ) -> HistoryLosses {
    switch next {
    case .status(let status): told = status
    case .report:
      toldDelay = effectiveDelay(index)
      toldSteps = Self.available(at: now, index) / Self.stepLength(toldDelay)
    case .frame(let position):
      let entry = index.entries[position]
      defer { (delivered, passed, unread) = ((entry.number, entry.losses), entry.number, 0) }
      guard let delivered else { return HistoryLosses() }
      var losses = entry.losses.since(delivered.losses)
      losses.dropped.outOfBuffers += unread
      losses.dropped.late += entry.number - delivered.number - 1 - unread
      return losses
    case .wait: break
    }
    return HistoryLosses()
  }

  /// Takes note that the picture at `position` cannot be read, so that the reader goes on with the next one.
  mutating func skip<Content>(_ position: Int, of index: HistoryIndex<Content>) {
    passed = index.entries[position].number
    unread += 1
  }
}

extension DelayedReaderState {
  /// The number of the picture before the first one that a new reader gets. The reader gets the picture that was new
  /// `delay` ago, unless that was two periods old by then.
  private static func numberBeforeFirst<Content>(
    _ newest: Int?, at instant: MonotonicInstant, _ index: HistoryIndex<Content>
  ) -> UInt64 {
    guard let newest else { return 0 }
    let entry = index.entries[newest]
    let neighbour = newest > 0 ? index.entries[newest - 1].captured : nil
    let period = neighbour.map { entry.captured.nanoseconds(since: $0) } ?? 1_000_000_000 / 30
    return instant.nanoseconds(since: entry.captured) <= 2 * period ? entry.number - 1 : entry.number
  }

  private static func stepLength(_ delay: UInt64) -> UInt64 { max(1, delay / steps) }

  private static func available<Content>(at now: MonotonicInstant, _ index: HistoryIndex<Content>) -> UInt64 {
    index.entries.first.map { now.nanoseconds(since: $0.captured) } ?? 0
  }

  /// Whether the reader must be told how far the history reaches back: each time that it has grown by a step while the
  /// reader waits for its first frame, and when the reader's frames come at another delay than before.
  private func mustReport<Content>(
    at now: MonotonicInstant, _ delay: UInt64, _ index: HistoryIndex<Content>
  ) -> Bool {
    let difference = delay > toldDelay ? delay - toldDelay : toldDelay - delay
    if difference > self.delay / Self.steps { return true }
    // An empty history does not know yet how large its file may become.
    guard delivered == nil, delay > 0, !index.entries.isEmpty else { return false }
    return Self.available(at: now, index) / Self.stepLength(delay) != toldSteps
  }

  /// When the history will have grown by another step. Nil when the reader needs not be told of that.
  private func nextStep<Content>(
    at now: MonotonicInstant, _ delay: UInt64, _ index: HistoryIndex<Content>
  ) -> MonotonicInstant? {
    guard delivered == nil, delay > 0, let first = index.entries.first else { return nil }
    let steps = Self.available(at: now, index) / Self.stepLength(delay) + 1
    return steps > Self.steps ? nil : first.captured + steps * Self.stepLength(delay)
  }
}

internal import CaptureCore

/// The place where one frame waits for one reader: the newest wins, what it replaced is counted.
///
/// A value without threads: ``ReaderSlot`` holds it under a lock. `Content` is what is handed over.
struct ReaderSlotStateMachine<Content: Sendable>: Sendable {
  struct Offer: Sendable {
    var content: Content
    var sequence: UInt64
    var size: Size
    var tally: FrameTally
  }

  struct Status: Hashable, Sendable {
    var session: SessionStatus
    var size: Size?
  }

  enum Event: Sendable {
    case status(Status)
    case frame(Content, dropped: DropCounts)
  }

  enum Ending: Sendable {
    case closed(CaptureError)
    case detached
  }

  enum Next: Sendable {
    case deliver(Event)
    case wait
    case end(Ending)
  }

  private var status: Status
  private var announced: Status?
  private var waiting: Offer?
  /// Of the frame delivered last; before the first, of the newest frame when the reader came.
  private var last: FrameTally
  private var hasDelivered = false
  private var newestOffered: UInt64 = 0
  /// Frames that could not be encoded: before the waiting one, and after it.
  private var lostBefore = DropCounts()
  private var lostAfter = DropCounts()
  private let maxUnacknowledged: Int
  /// Sequences sent and not acknowledged, oldest first.
  private var unacknowledged: [UInt64] = []
  private var ending: Ending?

  /// - Parameters:
  ///   - base: the output's tally when the reader comes; what was before is not counted as dropped.
  ///   - maxUnacknowledged: 0 for no limit.
  init(session: SessionStatus, base: FrameTally, maxUnacknowledged: Int) {
    status = Status(session: session, size: nil)
    last = base
    self.maxUnacknowledged = maxUnacknowledged
  }

  /// Puts a frame in the slot, in place of one that waits. A frame not newer than the last one offered is ignored, so
  /// that two paths to the same reader cannot turn time back.
  mutating func offer(_ offer: Offer) {
    guard ending == nil, offer.tally.received > newestOffered else { return }
    newestOffered = offer.tally.received
    lostBefore += lostAfter
    lostAfter = DropCounts()
    waiting = offer
  }

  /// Counts the frame of `tally` by another cause than `late`: it could not be encoded.
  mutating func lose(_ tally: FrameTally, _ cause: DropCounts) {
    guard ending == nil, tally.received > last.received, tally.received > newestOffered else { return }
    lostAfter += cause
  }

  mutating func update(session: SessionStatus) { status.session = session }

  /// What the reader gets now: the status first and whenever it changed, then the waiting frame, unless too many are
  /// unacknowledged.
  mutating func next() -> Next {
    if let ending { return .end(ending) }
    let sendable = maxUnacknowledged == 0 || unacknowledged.count < maxUnacknowledged ? waiting : nil
    if let sendable { status.size = sendable.size }
    if announced != status {
      announced = status
      return .deliver(.status(status))
    }
    guard let sendable else { return .wait }
    return .deliver(.frame(sendable.content, dropped: take(sendable)))
  }

  /// Says that the reader has consumed the frame of `sequence` and all sent before it.
  ///
  /// A sequence that is not on the way (acknowledged already, or never sent) changes nothing. When two streams on the
  /// way share the number, the older one is meant: the limit holds in either case.
  mutating func acknowledge(_ sequence: UInt64) {
    guard let index = unacknowledged.firstIndex(of: sequence) else { return }
    unacknowledged.removeFirst(index + 1)
  }

  /// Ends the slot; what waits is dropped. Only the first ending counts.
  mutating func end(_ ending: Ending) {
    if self.ending == nil { self.ending = ending }
    waiting = nil
  }

  private mutating func take(_ offer: Offer) -> DropCounts {
    var dropped = DropCounts()
    if hasDelivered || offer.tally.received > last.received {
      dropped = offer.tally.dropped(since: last)
      // Before the first frame a new stream is no gap: the reader has seen no other.
      if !hasDelivered { dropped.discontinuity -= offer.tally.streams - last.streams }
      dropped.late -= min(dropped.late, lostBefore.total)
      dropped += lostBefore
    }
    lostBefore = DropCounts()
    last = offer.tally
    hasDelivered = true
    waiting = nil
    if maxUnacknowledged > 0 { unacknowledged.append(offer.sequence) }
    return dropped
  }
}

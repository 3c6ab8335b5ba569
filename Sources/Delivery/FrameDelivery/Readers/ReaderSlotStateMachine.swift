internal import CaptureCore

/// The place where frames wait for one reader. Usually one does, and a newer one takes its place; with a queue a few do, and
/// newer ones are dropped while it is full. What is not handed over is counted in either case.
///
/// A value without threads: ``ReaderSlot`` holds it under a lock. `Content` is what is handed over.
struct ReaderSlotStateMachine<Content: Sendable>: Sendable {
  struct Offer: Sendable {
    var content: Content
    var sequence: UInt64
    var size: Size
    /// Where readers do not know it from their request.
    var pixelFormat: PixelFormat?
    var tally: FrameTally
    /// Whether the reader wants it; the first one it does not ask about.
    var isDue = true
    /// Of JPEG and H.264; 0 of others and of the camera's own.
    var quality = 0
    /// Of a picture that may need the one before it; else nil.
    var link: FrameLink?
    /// How many frames more may be kept from others. Each that waits in a queue must leave twice as much to them, so that
    /// whoever never reads keeps few, and nobody's loss is another's. Nil: it does not matter.
    var spare: Int?
  }

  struct Status: Hashable, Sendable {
    var session: SessionStatus
    /// Whether frames come: the camera gives them, and the output lets them through.
    var areFramesComing = false
    var size: Size?
    var pixelFormat: PixelFormat?
    var quality = 0
    /// The reader gets every n-th of the frames it asked for.
    var every = 1
  }

  enum Event: Sendable {
    case status(Status)
    /// `omitted` frames the reader did not want lie between this and the one before.
    case frame(Content, dropped: DropCounts, omitted: UInt64)
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
  /// Whether the output lets frames through: it is connected and has started.
  private var outputIsOpen = true
  private var announced: Status?
  /// Told while frames waited: true once they are delivered, unless others came. The inner nil: nobody knows.
  private var expected: ExpectedPicture??
  /// Oldest first, each with the frames lost before it that could not be encoded.
  private var waiting: [(offer: Offer, lost: DropCounts)] = []
  /// Frames that may wait when newer ones do not take their place; nil when they do.
  private let queueDepth: Int?
  /// Of the frame delivered last; before the first, of the newest frame when the reader came.
  private var last: FrameTally
  private var hasDelivered = false
  private var newestOffered: UInt64 = 0
  /// Frames that the reader wanted, up to the one offered or lost last; every n-th of those that its rate leaves.
  private var wanted: (count: UInt64, every: Int)
  /// Frames that could not be encoded after those that wait.
  private var lostAfter = DropCounts()
  private let maxUnacknowledged: Int
  /// Frames that were asked for and not sent; nil for a reader that need not ask.
  private var allowed: Int?
  /// Sequences sent and not acknowledged, oldest first.
  private var unacknowledged: [UInt64] = []
  /// The only picture that continues what the reader has, of an encoder whose pictures need those before.
  private var continuation: FrameLink?
  /// Whether the reader waits for what comes next.
  private var isAwaited = false
  private var ending: Ending?

  /// Coded pictures that wait: at most as old as a frame of a reader that just stalled may be.
  private static var linkedDepth: Int { 2 }

  /// - Parameters:
  ///   - expected: what the first picture will be, where that is known.
  ///   - base: the output's tally when the reader comes; what was before is not counted as dropped.
  ///   - maxUnacknowledged: 0 for no limit.
  ///   - queueDepth: how many frames wait; nil for one, replaced by newer ones.
  ///   - asks: whether only frames are sent that were asked for, by ``allow(_:)``.
  init(
    session: SessionStatus, isOpen: Bool = true, expected: ExpectedPicture? = nil, base: FrameTally,
    maxUnacknowledged: Int, queueDepth: Int? = nil, asks: Bool = false
  ) {
    allowed = asks ? 0 : nil
    status = Status(session: session, size: expected?.size, quality: expected?.quality ?? 0)
    outputIsOpen = isOpen
    last = base
    wanted = (base.wanted, base.every)
    self.queueDepth = queueDepth
    self.maxUnacknowledged = maxUnacknowledged
    updateWhetherFramesCome()
  }

  /// Whether a frame that the reader wanted never came before the one of `tally`, in whose encoding it gave way to another.
  /// Not known when the reader wants more or fewer of them since: then it is counted anew from the next that is due.
  func isOwed(_ tally: FrameTally) -> Bool { tally.every == wanted.every && tally.wanted > wanted.count }

  /// Puts a frame in the slot, in place of one that waits or, in a queue, behind them if there is room. A frame not newer than
  /// the last one offered is ignored, so that two paths to the same reader cannot turn time back; one that is not due too, unless
  /// it comes in place of one that was, or is coded: then the next one needs it.
  ///
  /// Of coded pictures ``Self/linkedDepth`` wait, because to drop one is to drop all up to the next key frame; which is what
  /// happens to a reader that is slower still.
  ///
  /// - Returns: whether the reader waits, and cannot go on without a key frame. Who does not read could not take it, and would
  ///   cost all others one a second; in need it is when it reads again.
  @discardableResult
  mutating func offer(_ offer: Offer) -> Bool {
    guard ending == nil, offer.tally.received > newestOffered,
      offer.isDue || offer.link != nil || newestOffered == 0 || isOwed(offer.tally)
    else { return false }
    newestOffered = offer.tally.received
    wanted = (offer.tally.wanted, offer.tally.every)
    expected = nil
    if let link = offer.link {
      let isNext = continuation == FrameLink(chain: link.chain, number: link.number, isKeyFrame: false)
      let hasRoom = waiting.count < Self.linkedDepth
      if link.isKeyFrame || !hasRoom { dropWaiting() }
      guard link.isKeyFrame || isNext && hasRoom else {
        continuation = nil
        return isAwaited && isOpen
      }
      continuation = FrameLink(chain: link.chain, number: link.number + 1, isKeyFrame: false)
    } else if let queueDepth {
      // The next one with room finds this one between its tally and that of the last.
      guard waiting.count < queueDepth else { return false }
      guard offer.leaves(waiting.count) else { return loseForWantOfMemory() }
    } else {
      guard offer.leaves(0) else { return loseForWantOfMemory() }
      dropWaiting()
    }
    waiting.append((offer, lostAfter))
    lostAfter = DropCounts()
    return false
  }

  private mutating func loseForWantOfMemory() -> Bool {
    lostAfter += DropCounts(outOfBuffers: 1)
    return false
  }

  private mutating func dropWaiting() {
    for dropped in waiting { lostAfter += dropped.lost }
    // Else the next one would allocate.
    waiting.removeAll(keepingCapacity: true)
  }

  /// Counts the frame of `tally` by another cause than `late`: it could not be encoded.
  mutating func lose(_ tally: FrameTally, _ cause: DropCounts) {
    guard ending == nil, tally.received > last.received, tally.received > newestOffered else { return }
    // Told of, it is owed no more.
    wanted = (tally.wanted, tally.every)
    lostAfter += cause
  }

  mutating func update(session: SessionStatus) {
    status.session = session
    updateWhetherFramesCome()
  }

  mutating func update(isOpen: Bool) {
    outputIsOpen = isOpen
    updateWhetherFramesCome()
  }

  private mutating func updateWhetherFramesCome() {
    status.areFramesComing = outputIsOpen && status.session.state == .running && !status.session.isTakingStill
  }

  /// Lets so many frames more be sent, of a reader that asks for each.
  mutating func allow(_ frames: Int) { allowed? += frames }

  /// The next picture will be like this; nil: nobody knows. Told early, it does not come between a launch and its first
  /// frame.
  mutating func expect(_ picture: ExpectedPicture?) {
    guard waiting.isEmpty else { return expected = .some(picture) }
    (status.size, status.quality) = (picture?.size, picture?.quality ?? 0)
  }

  /// Whether as few frames are unacknowledged as the reader asked for, and it asked for one more, so that another may follow.
  var isOpen: Bool { allowed != 0 && (maxUnacknowledged == 0 || unacknowledged.count < maxUnacknowledged) }

  /// What the reader gets now: the status first and whenever it changed, then the waiting frame, unless too many are
  /// unacknowledged.
  mutating func next() -> Next {
    if let ending { return .end(ending) }
    let sendable = isOpen ? waiting.first : nil
    if let sendable {
      (status.size, status.pixelFormat) = (sendable.offer.size, sendable.offer.pixelFormat)
      (status.quality, status.every) = (sendable.offer.quality, sendable.offer.tally.every)
    }
    if announced != status {
      (announced, isAwaited) = (status, false)
      return .deliver(.status(status))
    }
    isAwaited = sendable == nil
    guard let sendable else { return .wait }
    waiting.removeFirst()
    let omitted = hasDelivered ? sendable.offer.tally.omitted(since: last) : 0
    let dropped = take(sendable.offer, lost: sendable.lost)
    if waiting.isEmpty, let picture = expected.take() { expect(picture) }
    return .deliver(.frame(sendable.offer.content, dropped: dropped, omitted: omitted))
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
    waiting = []
  }

  private mutating func take(_ offer: Offer, lost: DropCounts) -> DropCounts {
    var dropped = DropCounts()
    if hasDelivered || offer.tally.received > last.received {
      dropped = offer.tally.dropped(since: last)
      // Before the first frame a new stream is no gap: the reader has seen no other.
      if !hasDelivered { dropped.discontinuity -= offer.tally.streams - last.streams }
      dropped.late -= min(dropped.late, lost.total)
      dropped += lost
    }
    last = offer.tally
    hasDelivered = true
    allowed? -= 1
    if maxUnacknowledged > 0 { unacknowledged.append(offer.sequence) }
    return dropped
  }
}

extension ReaderSlotStateMachine.Offer {
  /// Whether a reader that keeps `count` frames may keep this one besides.
  fileprivate func leaves(_ count: Int) -> Bool { spare.map { $0 >= 2 * count } ?? true }
}

internal import CaptureCore

/// The place where frames wait for one reader. Without a queue one frame waits, and a newer frame takes its place. With
/// a queue several frames wait, and newer frames are dropped while the queue is full. In either case the slot counts
/// the frames that it does not hand over.
///
/// A value without threads: ``ReaderSlot`` holds it under a lock. `Content` is what the slot hands over.
struct ReaderSlotStateMachine<Content: Sendable>: Sendable {
  /// A frame that an output offers to the reader, with the facts by which the slot treats it.
  struct Offer: Sendable {
    var content: Content
    var sequence: UInt64
    var size: Size
    /// The pixel format that the status tells. Nil when readers know the format from their request.
    var pixelFormat: PixelFormat?
    var tally: FrameTally
    /// Whether the reader wants the frame. The slot takes the first frame in either case.
    var isDue = true
    /// The quality of JPEG and H.264, 1 to 100. 0 for other formats and for the camera's own JPEG.
    var quality = 0
    /// The place of a picture that may need the picture before it. Else nil.
    var link: FrameLink?
    /// How many more frames of this size may be kept from other readers. A frame that waits behind n others must leave
    /// at least 2n to other readers, so that a reader who never reads keeps few frames and costs other readers none;
    /// else the frame is lost. Below 0 no frame may wait. Nil sets no limit.
    var spare: Int?
  }

  /// What a status event tells the reader.
  struct Status: Hashable, Sendable {
    var session: SessionStatus
    /// Whether frames come: the camera gives them, and the output lets them through.
    var areFramesComing = false
    var size: Size?
    var pixelFormat: PixelFormat?
    var quality = 0
    /// The reader gets every n-th of the frames that it asked for.
    var every = 1
  }

  enum Event: Sendable {
    case status(Status)
    /// A frame, the frames lost since the frame before by cause, and how many frames in between the reader did not
    /// want.
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
  /// Whether the output lets frames through: the output is connected and has started.
  private var outputIsOpen = true
  /// The status that the reader was told last. Nil before the first status.
  private var announced: Status?
  /// How the picture after the waiting frames will be, as the slot was told while frames waited. The outer nil: the
  /// slot was not told, or another frame has come since. The inner nil: that picture is not known.
  private var expected: ExpectedPicture??
  /// The frames that wait, oldest first, each with the frames lost before it by other causes than lateness.
  private var waiting: [(offer: Offer, lost: DropCounts)] = []
  /// How many frames may wait in the queue. Nil without a queue, when a newer frame takes the place of the waiting one.
  private let queueDepth: Int?
  /// The tally of the frame that was delivered last. Before the first delivery, the output's tally when the reader
  /// came.
  private var last: FrameTally
  private var hasDelivered = false
  private var newestOffered: UInt64 = 0
  /// How many frames the reader wanted up to the frame that was offered or lost last, where the reader wants every n-th
  /// of the frames that its rate leaves.
  private var wanted: (count: UInt64, every: Int)
  /// Frames lost after the waiting frames by other causes than lateness.
  private var lostAfter = DropCounts()
  private let maxUnacknowledged: Int
  /// Frames that the reader asked for and was not sent yet. Nil for a reader that need not ask.
  private var allowed: Int?
  /// The sequences of the frames that were sent and not acknowledged, oldest first.
  private var unacknowledged: [UInt64] = []
  /// The only picture that continues what the reader has, for an encoder whose pictures need the pictures before them.
  /// Nil when only a key frame does.
  private var continuation: FrameLink?
  /// Whether the reader waits for the next event.
  private var isAwaited = false
  private var ending: Ending?

  /// The most coded pictures that wait. Two pictures outlast a hiccup of one frame, and are no older than a frame may
  /// be for a reader that has just stalled.
  private static var linkedDepth: Int { 2 }

  /// Makes the slot of a new reader.
  ///
  /// - Parameters:
  ///   - session: the session's status, which the first event tells.
  ///   - isOpen: whether the output lets frames through.
  ///   - expected: how the first picture will be. Nil when not known.
  ///   - base: the output's tally when the reader comes. What the output lost before then does not count as dropped.
  ///   - maxUnacknowledged: the most frames that may be sent and not acknowledged. 0 sets no limit.
  ///   - queueDepth: how many frames may wait. Nil: one frame waits, and a newer frame replaces it.
  ///   - asks: whether the slot sends only frames that the reader asked for by ``allow(_:)``.
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

  /// Whether the reader is owed a frame: a frame that the reader wanted never came, because the frame of `tally` took
  /// that frame's place in the encoding. False when the reader has come to want more or fewer frames since: then
  /// counting begins anew with the next frame that is due.
  func isOwed(_ tally: FrameTally) -> Bool { tally.every == wanted.every && tally.wanted > wanted.count }

  /// Puts a frame into the slot: in place of the frame that waits or, in a queue, behind the frames that wait if there
  /// is room.
  ///
  /// The slot ignores a frame that is not newer than the frame offered last, so that two ways to the same reader cannot
  /// turn time back. The slot also ignores a frame that is not due, except for the first frame, for a frame that comes
  /// in place of one that was due, and for a coded picture, which the next picture needs.
  ///
  /// Up to ``Self/linkedDepth`` coded pictures wait, because dropping one means dropping all pictures up to the next
  /// key frame. A reader that is slower still does lose all pictures up to the next key frame.
  ///
  /// - Returns: whether the reader waits and cannot go on without a key frame. A reader that does not read at the
  ///   moment could not take a key frame, and would cost all other readers one each second. Such a reader needs its key
  ///   frame only when it reads again.
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
      // When the queue is full, the next frame with room counts this frame as late, by the difference of the tallies.
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
    // The array keeps its capacity, so that the next frame costs no allocation.
    waiting.removeAll(keepingCapacity: true)
  }

  /// Counts the frame of `tally` as lost by `cause` and not as late, because the frame could not be encoded.
  mutating func lose(_ tally: FrameTally, _ cause: DropCounts) {
    guard ending == nil, tally.received > last.received, tally.received > newestOffered else { return }
    // The reader is told of the lost frame, so it is owed no other frame in its place.
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

  /// Allows this many more frames to be sent to a reader that asks for each frame.
  mutating func allow(_ frames: Int) { allowed? += frames }

  /// Takes how the next picture will be; nil when that is not known. The reader is told early, so that no status has to
  /// come between a launch and its first frame.
  mutating func expect(_ picture: ExpectedPicture?) {
    guard waiting.isEmpty else { return expected = .some(picture) }
    (status.size, status.quality) = (picture?.size, picture?.quality ?? 0)
  }

  /// Whether another frame may follow: fewer frames are unacknowledged than the reader's limit, and a reader that asks
  /// for each frame has asked for one more.
  var isOpen: Bool { allowed != 0 && (maxUnacknowledged == 0 || unacknowledged.count < maxUnacknowledged) }

  /// What the reader gets now: a status first and whenever the status has changed, then the oldest waiting frame,
  /// unless ``isOpen`` forbids another frame.
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

  /// Says that the reader has consumed the frame of `sequence` and all frames sent before that frame.
  ///
  /// A sequence that is acknowledged already, or was never sent, changes nothing. When frames of two streams on the way
  /// share the sequence, the older frame is acknowledged; the limit holds in either case.
  mutating func acknowledge(_ sequence: UInt64) {
    guard let index = unacknowledged.firstIndex(of: sequence) else { return }
    unacknowledged.removeFirst(index + 1)
  }

  /// Ends the slot, and drops the frames that wait. Only the first ending counts.
  mutating func end(_ ending: Ending) {
    if self.ending == nil { self.ending = ending }
    waiting = []
  }

  private mutating func take(_ offer: Offer, lost: DropCounts) -> DropCounts {
    var dropped = DropCounts()
    if hasDelivered || offer.tally.received > last.received {
      dropped = offer.tally.dropped(since: last)
      // A stream that began before the reader's first frame is no gap, because the reader has seen no other stream.
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
  /// Whether a reader that keeps `count` frames may keep this frame too.
  fileprivate func leaves(_ count: Int) -> Bool { spare.map { $0 >= 2 * count } ?? true }
}

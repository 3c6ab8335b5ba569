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

  enum Event: Sendable {
    case status(ReaderStatus.Report)
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

  private var status: ReaderStatus
  private var drops: DropAccount
  private var window: SendWindow
  /// The frames that wait, oldest first, each with the frames lost before it by other causes than lateness.
  private var waiting: [(offer: Offer, lost: DropCounts)] = []
  /// How many frames may wait in the queue. Nil without a queue, when a newer frame takes the place of the waiting one.
  private let queueDepth: Int?
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
    status = ReaderStatus(session: session, isOpen: isOpen, expected: expected)
    drops = DropAccount(base: base)
    window = SendWindow(maxUnacknowledged: maxUnacknowledged, asks: asks)
    self.queueDepth = queueDepth
  }

  /// Whether the reader is owed a frame; see ``DropAccount/isOwed(_:)``.
  func isOwed(_ tally: FrameTally) -> Bool { drops.isOwed(tally) }

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
    guard ending == nil, drops.noteOffered(offer.tally, isWanted: offer.isDue || offer.link != nil) else {
      return false
    }
    status.frameCame()
    if let link = offer.link {
      let isNext = continuation == FrameLink(chain: link.chain, number: link.number, isKeyFrame: false)
      let hasRoom = waiting.count < Self.linkedDepth
      if link.isKeyFrame || !hasRoom { dropWaiting() }
      guard link.isKeyFrame || isNext && hasRoom else {
        continuation = nil
        return isAwaited && window.isOpen
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
    waiting.append((offer, drops.takeLost()))
    return false
  }

  private mutating func loseForWantOfMemory() -> Bool {
    drops.add(DropCounts(outOfBuffers: 1))
    return false
  }

  private mutating func dropWaiting() {
    for dropped in waiting { drops.add(dropped.lost) }
    // The array keeps its capacity, so that the next frame costs no allocation.
    waiting.removeAll(keepingCapacity: true)
  }

  /// Counts the frame of `tally` as lost by `cause` and not as late, because the frame could not be encoded.
  mutating func lose(_ tally: FrameTally, _ cause: DropCounts) {
    guard ending == nil else { return }
    drops.lose(tally, cause)
  }

  mutating func update(session: SessionStatus) { status.update(session: session) }

  mutating func update(isOpen: Bool) { status.update(isOpen: isOpen) }

  /// Allows this many more frames to be sent to a reader that asks for each frame.
  mutating func allow(_ frames: Int) { window.allow(frames) }

  /// Takes how the next picture will be; nil when that is not known. The reader is told early, so that no status has to
  /// come between a launch and its first frame.
  mutating func expect(_ picture: ExpectedPicture?) { status.expect(picture, framesWait: !waiting.isEmpty) }

  /// Whether another frame may follow: fewer frames are unacknowledged than the reader's limit, and a reader that asks
  /// for each frame has asked for one more.
  var isOpen: Bool { window.isOpen }

  /// Takes note that the reader waits until there is an event for it, without taking the event.
  ///
  /// - Returns: whether ``next()`` would return an event or the end now.
  mutating func awaitNext() -> Bool {
    let isFrameSendable = window.isOpen && !waiting.isEmpty
    isAwaited = !isFrameSendable
    return ending != nil || isFrameSendable || status.hasReport
  }

  /// What the reader gets now: a status first and whenever the status has changed, then the oldest waiting frame,
  /// unless ``isOpen`` forbids another frame.
  mutating func next() -> Next {
    if let ending { return .end(ending) }
    let sendable = window.isOpen ? waiting.first : nil
    if let offer = sendable?.offer {
      status.describe(offer.size, offer.pixelFormat, quality: offer.quality, every: offer.tally.every)
    }
    if let report = status.take() {
      isAwaited = false
      return .deliver(.status(report))
    }
    isAwaited = sendable == nil
    guard let sendable else { return .wait }
    waiting.removeFirst()
    let (dropped, omitted) = drops.deliver(sendable.offer.tally, lost: sendable.lost)
    window.noteSent(sendable.offer.sequence)
    if waiting.isEmpty { status.lastFrameGoes() }
    return .deliver(.frame(sendable.offer.content, dropped: dropped, omitted: omitted))
  }

  /// Says that the reader has consumed the frame of `sequence` and all frames sent before that frame; see
  /// ``SendWindow/acknowledge(_:)``.
  mutating func acknowledge(_ sequence: UInt64) { window.acknowledge(sequence) }

  /// Ends the slot, and drops the frames that wait. Only the first ending counts.
  mutating func end(_ ending: Ending) {
    if self.ending == nil { self.ending = ending }
    waiting = []
  }
}

extension ReaderSlotStateMachine.Offer {
  /// Whether a reader that keeps `count` frames may keep this frame too.
  fileprivate func leaves(_ count: Int) -> Bool { spare.map { $0 >= 2 * count } ?? true }
}

/// How many frames may be sent to a reader: as many as the reader has asked for, and no more than its limit of
/// unacknowledged frames.
struct SendWindow: Sendable {
  private let maxUnacknowledged: Int
  /// Frames that the reader asked for and was not sent yet. Nil for a reader that need not ask.
  private var allowed: Int?
  /// The sequences of the frames that were sent and not acknowledged, oldest first.
  private var unacknowledged: [UInt64] = []

  /// - Parameters:
  ///   - maxUnacknowledged: the most frames that may be sent and not acknowledged. 0 sets no limit.
  ///   - asks: whether the reader gets only frames that it asked for by ``allow(_:)``.
  init(maxUnacknowledged: Int, asks: Bool) {
    self.maxUnacknowledged = maxUnacknowledged
    allowed = asks ? 0 : nil
  }

  /// Whether one more frame may be sent.
  var isOpen: Bool { allowed != 0 && (maxUnacknowledged == 0 || unacknowledged.count < maxUnacknowledged) }

  /// Lets this many more frames be sent to a reader that asks for each frame.
  mutating func allow(_ frames: Int) { allowed? += frames }

  /// Counts a frame as sent.
  mutating func noteSent(_ sequence: UInt64) {
    allowed? -= 1
    if maxUnacknowledged > 0 { unacknowledged.append(sequence) }
  }

  /// Takes the frame of `sequence` and all frames sent before it as acknowledged.
  ///
  /// A sequence that is acknowledged already, or was never sent, changes nothing. When frames of two streams on the way
  /// share the sequence, the older frame is acknowledged; the limit holds in either case.
  mutating func acknowledge(_ sequence: UInt64) {
    guard let index = unacknowledged.firstIndex(of: sequence) else { return }
    unacknowledged.removeFirst(index + 1)
  }
}

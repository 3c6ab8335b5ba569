internal import CaptureCore

/// The status of one reader: what the next status event tells, and whether the reader must be told.
struct ReaderStatus: Sendable {
  /// What a status event tells the reader.
  struct Report: Hashable, Sendable {
    var session: SessionStatus
    /// Whether frames come: the camera gives them, and the output lets them through.
    var areFramesComing = false
    var size: Size?
    var pixelFormat: PixelFormat?
    var quality = 0
    /// The reader gets every n-th of the frames that it asked for.
    var every = 1
  }

  private var present: Report
  /// Whether the output lets frames through: the output is connected and has started.
  private var outputIsOpen: Bool
  /// The report that the reader was given last. Nil before the first one.
  private var announced: Report?
  /// How the picture after the waiting frames will be, as the slot was told while frames waited. The outer nil: the
  /// slot was not told, or another frame has come since. The inner nil: that picture is not known.
  private var expected: ExpectedPicture??

  /// - Parameters:
  ///   - isOpen: whether the output lets frames through.
  ///   - expected: how the first picture will be. Nil when not known.
  init(session: SessionStatus, isOpen: Bool, expected: ExpectedPicture?) {
    present = Report(session: session, size: expected?.size, quality: expected?.quality ?? 0)
    outputIsOpen = isOpen
    updateWhetherFramesCome()
  }

  mutating func update(session: SessionStatus) {
    present.session = session
    updateWhetherFramesCome()
  }

  mutating func update(isOpen: Bool) {
    outputIsOpen = isOpen
    updateWhetherFramesCome()
  }

  private mutating func updateWhetherFramesCome() {
    let session = present.session
    present.areFramesComing =
      outputIsOpen && session.state == .running && !session.isTakingStill && !session.awaitsDeferredStart
  }

  /// Takes how the next picture will be; nil when that is not known.
  ///
  /// - Parameter framesWait: whether frames wait for the reader. The expectation then holds for the picture after them.
  mutating func expect(_ picture: ExpectedPicture?, framesWait: Bool) {
    guard !framesWait else { return expected = .some(picture) }
    (present.size, present.quality) = (picture?.size, picture?.quality ?? 0)
  }

  /// Forgets the expectation for the picture after the waiting frames, because another frame has come.
  mutating func frameCame() { expected = nil }

  /// Takes over the expectation for the next picture, because the last waiting frame goes to the reader now.
  mutating func lastFrameGoes() {
    if let picture = expected.take() { expect(picture, framesWait: false) }
  }

  /// Describes the frame that the reader gets next.
  mutating func describe(_ size: Size, _ pixelFormat: PixelFormat?, quality: Int, every: Int) {
    (present.size, present.pixelFormat) = (size, pixelFormat)
    (present.quality, present.every) = (quality, every)
  }

  /// Whether the reader must be given a report now.
  var hasReport: Bool { announced != present }

  /// Returns the report that the reader must be given now, and counts it as given. Nil when nothing has changed since
  /// the last report.
  mutating func take() -> Report? {
    guard hasReport else { return nil }
    announced = present
    return present
  }
}

/// What a reader is told of its next picture before that picture comes.
struct ExpectedPicture: Hashable, Sendable {
  var size: Size
  /// The quality of JPEG and H.264, as in ``ReaderSlotStateMachine/Offer``.
  var quality = 0
}

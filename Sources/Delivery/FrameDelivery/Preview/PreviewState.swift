internal import CaptureCore

/// The state that a preview output keeps under its lock.
struct PreviewState: Sendable {
  /// What the output must do once the lock is free.
  struct Work: Sendable {
    var started: [EncodingVariant] = []
    var stopped: [EncodingVariant] = []
    var refused: [ReaderSlot] = []
    /// Readers who are told how their next picture will be before that picture comes. A picture is nil when the next
    /// picture is not known any more.
    var expecting: [(slot: ReaderSlot, picture: ExpectedPicture?)] = []

    /// Adds later work. An encoding that would be started and stopped again is left out.
    static func += (a: inout Work, b: Work) {
      let isForNothing = { (variant: EncodingVariant) in b.stopped.contains { $0 === variant } }
      a.stopped += b.stopped.filter { variant in !a.started.contains { $0 === variant } }
      a.started.removeAll(where: isForNothing)
      a.started += b.started
      a.refused += b.refused
      a.expecting += b.expecting
    }
  }

  /// How a frame comes to a reader: by an encoding, or as the camera's own bytes when `variant` is nil.
  struct Way: Sendable {
    var variant: EncodingVariant?
    var tally: FrameTally
  }

  /// A reader, and the frames that it wants.
  struct Recipient: Sendable {
    var slot: ReaderSlot
    var pace: FramePace
  }

  /// An encoding, and the frames that its readers want. Readers of the same pace share one element.
  struct Destination: Sendable {
    var variant: EncodingVariant
    var paces: [FramePace]
  }

  var isPrepared = false
  private(set) var conditions = OutputConditions() {
    didSet { gate.expect(conditions.revision) }
  }
  private var gate = RevisionGate()
  /// How often the connection changed.
  private(set) var connectionChanges = 0
  /// Whether the output lets frames through to its readers.
  var isOpen: Bool { conditions.connection.isEnabled && isPrepared }
  private(set) var closed: CaptureError?
  private(set) var received = ReceivedFrames()
  /// The layout that the session expected last, as it is after the composer.
  private var expectedLayout: FrameLayout?
  private(set) var routing = PreviewRoutingTable(
    maxEncodings: PreviewOutput.maxEncodings, maxReaders: PreviewOutput.maxReaders)
  private(set) var slots: [String: ReaderSlot] = [:]
  private var variants: [EncodingKey: EncodingVariant] = [:]
  /// The readers who get each frame on the capture thread. This list and `encoding` are made anew on every change of
  /// the readers, so that a frame costs no allocation.
  private(set) var passThrough: [Recipient] = []
  private(set) var encoding: [Destination] = []

  /// Counts a frame, and finds the ways of the readers anew when the frame has another layout.
  ///
  /// - Parameters:
  ///   - onlyAsFirst: whether to ignore the frame when the output has received a frame before.
  ///   - isDrawn: whether the frame comes from the composer, which itself knows what new readers may see.
  /// - Returns: nil when the frame goes nowhere.
  mutating func receive(_ captured: CapturedFrame, onlyAsFirst: Bool, isDrawn: Bool) -> Work? {
    let id = FrameID(captured.frame)
    guard closed == nil, conditions.connection.isEnabled, onlyAsFirst ? received.newest == nil : received.newest != id,
      gate.passes(captured)
    else { return nil }
    received.add(captured, isDrawn: isDrawn)
    guard isPrepared else { return nil }
    let layout = captured.frame.layout
    return routing.layout == layout ? Work() : apply(routing.setLayout(layout))
  }

  private var expectations: [(slot: ReaderSlot, picture: ExpectedPicture?)] {
    slots.values.map { ($0, expected(by: $0.token)) }
  }

  /// Whether frames come, so that readers learn of a change from the first picture that has it. While no frames come,
  /// the status tells readers how their pictures will be.
  private var framesCome: Bool { ![.stopped, .interrupted].contains(conditions.status.state) }

  /// Whether the next frame is the first one of a run. Before that frame, the layout that the session expects is the
  /// best that the output knows.
  private var expectsFirstFrame: Bool {
    switch conditions.status.state {
    case .stopped, .interrupted, .starting: true
    case .running, .stopping: received.newest == nil
    }
  }

  private func expected(by token: String) -> ExpectedPicture? {
    switch routing.route(of: token) {
    case .passThrough: routing.layout.map { ExpectedPicture(size: $0.size) }
    case .encode(let key): ExpectedPicture(size: key.size, quality: key.quality)
    case .unknown, nil: nil
    }
  }

  /// What the output must do because of new conditions.
  struct Update: Sendable {
    var work = Work()
    /// Whether ``PreviewState/isOpen`` changed.
    var opensOrCloses = false
    /// Readers who must be told the session's status.
    var slots: [ReaderSlot] = []
    /// Readers who must be told the session's status together with how their next picture will be.
    var expectations: [(slot: ReaderSlot, picture: ExpectedPicture?)] = []
  }

  /// Takes the conditions that hold from now on.
  ///
  /// - Parameter layout: the layout of the frames that the session expects, as it is after the composer. Nil when not
  ///   known.
  mutating func update(_ next: OutputConditions, expecting layout: FrameLayout?) -> Update {
    let (former, wasOpen) = (conditions, isOpen)
    conditions = next
    if next.expectedFrameRate != former.expectedFrameRate {
      for variant in variants.values { variant.setFrameRate(next.expectedFrameRate) }
    }
    var update = Update()
    update.opensOrCloses = isOpen != wasOpen
    if next.connection != former.connection {
      // The newest frame was captured for the former orientation, and a new reader would see it in the new one.
      received.connectionChanged()
      connectionChanges += 1
    }
    // Once no more frames come, the last picture must not keep the camera's memory.
    if !framesCome { received.hideNewest() }
    guard closed == nil else { return update }
    if routing.orientation != next.connection.orientation {
      update.work += apply(routing.setOrientation(next.connection.orientation))
    }
    if routing.limits != next.limits { update.work += apply(routing.setLimits(next.limits)) }
    // Frames tell the layout themselves; before the first one a new expectation of the session is the best there is.
    let bringsLayout = expectedLayout != layout && expectsFirstFrame && routing.layout != layout
    expectedLayout = layout
    if bringsLayout { update.work += apply(routing.setLayout(layout)) }
    if framesCome {
      update.slots = next.status == former.status ? [] : Array(slots.values)
      if bringsLayout { update.work.expecting = expectations }
    } else if !next.differsOnlyInConnection(from: former) {
      // A commit connects the outputs before it is certain to succeed. Readers learn of its pictures from the
      // conditions that follow: those of the commit, or the former ones.
      update.expectations = expectations
    }
    return update
  }

  /// Adds a reader.
  ///
  /// - Throws: once the output is closed, the error that ``close(_:)`` was given; `tooManyRequests` when the reader
  ///   needs an encoding too many or is a reader too many.
  mutating func add(
    _ token: String, _ request: PreviewRequest, observer: ReaderSlot.LinkObserver
  ) throws(CaptureError) -> (ReaderSlot, Work) {
    if let closed { throw closed }
    let changes = try routing.add(token, request)
    let slot = ReaderSlot(
      token: token, maxBytes: request.maxPictureBytes, maxUnacknowledged: request.maxUnacknowledgedFrames,
      session: conditions.status, isOpen: isOpen, expected: expected(by: token),
      base: received.tally.seen(at: request.pace(.none)),
      link: request.isAdaptive ? LinkWatch(LinkAdaptation(steps: request.encoding.steps)) : nil,
      observer: request.isAdaptive ? observer : nil)
    slots[token] = slot
    return (slot, apply(changes))
  }

  /// Gives a reader less, or more again, as the reader's link asks for.
  mutating func reduce(_ token: String, to reduction: Reduction) -> Work {
    guard closed == nil else { return Work() }
    return apply(routing.setReduction(reduction, of: token))
  }

  mutating func remove(_ token: String) -> (ReaderSlot?, Work) {
    guard let slot = slots.removeValue(forKey: token) else { return (nil, Work()) }
    return (slot, apply(routing.remove(token)))
  }

  /// Removes all readers of `variant`, which the work then has as `refused`.
  mutating func removeReaders(of variant: EncodingVariant) -> Work {
    var work = Work()
    for slot in readers(of: variant).map(\.slot) {
      work += remove(slot.token).1
      work.refused.append(slot)
    }
    return work
  }

  /// Gives smaller pictures to `readers`; see ``PreviewRoutingTable/shrink(_:on:bytes:)``.
  ///
  /// - Returns: the work, and the encodings that the readers get from now on.
  mutating func shrink(_ readers: [ReaderSlot], on route: PreviewRoute, bytes: Int) -> (Work, [EncodingVariant]) {
    let tokens = readers.map(\.token)
    let work = apply(routing.shrink(tokens, on: route, bytes: bytes))
    let keys = Set(tokens.compactMap { if case .encode(let key)? = routing.route(of: $0) { key } else { nil } })
    return (work, keys.compactMap { variants[$0] })
  }

  /// Ends everything. The work has the readers as `refused`. Only the error of the first call counts.
  mutating func close(_ error: CaptureError) -> Work {
    if closed == nil { closed = error }
    var work = apply(routing.removeAll())
    work.refused = Array(slots.values)
    slots = [:]
    received.hideNewest()
    rebuild()
    return work
  }

  /// How the frame that the output received last comes to a reader. Nil when that is not known yet.
  func way(to token: String) -> Way? {
    switch routing.route(of: token) {
    case .passThrough: Way(variant: nil, tally: received.tally)
    case .encode(let key): variants[key].map { Way(variant: $0, tally: received.tally) }
    case .unknown, nil: nil
    }
  }

  /// The readers of `variant`. Empty once the variant was stopped.
  func readers(of variant: EncodingVariant) -> [Recipient] {
    guard variants[variant.key] === variant else { return [] }
    return readers(on: .encode(variant.key))
  }

  private func readers(on route: PreviewRoute) -> [Recipient] {
    (routing.readers[route] ?? []).compactMap { token in
      slots[token].map { Recipient(slot: $0, pace: routing.pace(of: token)) }
    }
  }

  private mutating func apply(_ changes: PreviewRoutingTable.Changes) -> Work {
    var work = Work()
    work.stopped = changes.stopped.compactMap { variants.removeValue(forKey: $0) }
    for key in changes.started {
      let variant = EncodingVariant(key: key, frameRate: conditions.expectedFrameRate)
      variants[key] = variant
      work.started.append(variant)
    }
    work.refused = changes.refused.compactMap { slots.removeValue(forKey: $0) }
    rebuild()
    return work
  }

  private mutating func rebuild() {
    passThrough = readers(on: .passThrough)
    encoding = variants.values.map { variant in
      Destination(variant: variant, paces: Array(Set(readers(of: variant).map(\.pace))))
    }
    received.setRates(routing.rates)
  }
}

extension OutputConditions {
  fileprivate func differsOnlyInConnection(from former: OutputConditions) -> Bool {
    guard connection != former.connection else { return false }
    var rest = self
    rest.connection = former.connection
    return rest == former
  }
}

internal import CaptureCore

/// What a preview output keeps under its lock.
struct PreviewState: Sendable {
  /// What is left to do once the lock is free.
  struct Work: Sendable {
    var started: [EncodingVariant] = []
    var stopped: [EncodingVariant] = []
    var refused: [ReaderSlot] = []
    /// Readers who can be told how their next picture will be, while none come. Nil: nobody knows any more.
    var expecting: [(slot: ReaderSlot, picture: ExpectedPicture?)] = []

    static func += (a: inout Work, b: Work) {
      a.started += b.started
      a.stopped += b.stopped
      a.refused += b.refused
      a.expecting += b.expecting
    }
  }

  /// How a frame comes to readers: the encoding, or nil for the camera's own bytes.
  struct Way: Sendable {
    var variant: EncodingVariant?
    var tally: FrameTally
  }

  /// A reader and which frames it wants.
  struct Recipient: Sendable {
    var slot: ReaderSlot
    var pace: FramePace
  }

  /// An encoding and which frames its readers want, one pace for each that differs.
  struct Destination: Sendable {
    var variant: EncodingVariant
    var paces: [FramePace]
  }

  var isPrepared = false
  private(set) var conditions = OutputConditions()
  /// How often the connection changed.
  private(set) var connectionChanges = 0
  /// Whether frames are let through.
  var isOpen: Bool { conditions.connection.isEnabled && isPrepared }
  private(set) var closed: CaptureError?
  private(set) var tally = FrameTally()
  /// The frame received last.
  private(set) var newest: FrameID?
  /// That frame, for whoever attaches; nil when it is not what a reader is to see. Kept here because of frames that the
  /// session left out the ring may have newer ones, or not have this one any more.
  private(set) var shown: CapturedFrame?
  /// Nanoseconds between the last two frames received; 0 when nobody knows.
  private(set) var period: UInt64 = 0
  private var newestInstant: UInt64 = 0
  private(set) var routing = PreviewRoutingTable(
    maxEncodings: PreviewOutput.maxEncodings, maxReaders: PreviewOutput.maxReaders)
  private(set) var slots: [String: ReaderSlot] = [:]
  private var variants: [EncodingKey: EncodingVariant] = [:]
  /// Who gets each frame on the capture thread. Made anew on every change, so that a frame costs no allocation.
  private(set) var passThrough: [Recipient] = []
  private(set) var encoding: [Destination] = []
  private var rates = FrameRates()

  /// Counts a frame, and finds the ways anew when its layout is another.
  ///
  /// - Parameters:
  ///   - onlyAsFirst: ignore it when a frame was received before.
  ///   - isDrawn: whether it comes from a composer, who knows what those who attach are to see.
  /// - Returns: nil when there is nothing to do with the frame.
  mutating func receive(_ captured: CapturedFrame, onlyAsFirst: Bool, isDrawn: Bool) -> Work? {
    let frame = captured.frame
    let id = FrameID(frame)
    guard closed == nil, conditions.connection.isEnabled, onlyAsFirst ? newest == nil : newest != id else { return nil }
    let startsStream = newest?.streamID != id.streamID
    tally.add(missing: frame.missing, startsStream: startsStream)
    tally.rates = rates.next(frame)
    let instant = frame.time.monotonicNanoseconds
    period = startsStream || newestInstant == 0 || instant < newestInstant ? 0 : instant - newestInstant
    (newest, newestInstant, shown) = (id, instant, isDrawn ? nil : captured)
    guard isPrepared else { return nil }
    return routing.layout == frame.layout ? Work() : apply(routing.setLayout(frame.layout))
  }

  private var expectations: [(slot: ReaderSlot, picture: ExpectedPicture?)] {
    slots.values.map { ($0, expected(by: $0.token)) }
  }

  /// Whether readers hear how pictures are from the first picture that is so. While no frames come, the status tells them.
  private var framesCome: Bool { ![.stopped, .interrupted].contains(conditions.status.state) }

  /// Whether the next frame is the first one of a run, so that the layout that the session expects is the best there is.
  private var expectsFirstFrame: Bool {
    switch conditions.status.state {
    case .stopped, .interrupted, .starting: true
    case .running, .stopping: newest == nil
    }
  }

  private func expected(by token: String) -> ExpectedPicture? {
    switch routing.route(of: token) {
    case .passThrough: routing.layout.map { ExpectedPicture(size: $0.size) }
    case .encode(let key): ExpectedPicture(size: key.size, quality: key.quality)
    case .unknown, nil: nil
    }
  }

  /// What new conditions ask for.
  struct Update: Sendable {
    var work = Work()
    /// Whether ``PreviewState/isOpen`` changed.
    var opensOrCloses = false
    /// Readers who are to be told the session's status.
    var slots: [ReaderSlot] = []
    /// Readers who are to be told the status together with how their next picture will be.
    var expectations: [(slot: ReaderSlot, picture: ExpectedPicture?)] = []
  }

  /// - Parameter layout: how the frames will lie that the session expects, when they have been drawn on.
  mutating func update(_ next: OutputConditions, expecting layout: FrameLayout?) -> Update {
    let (former, wasOpen) = (conditions, isOpen)
    conditions = next
    var update = Update()
    update.opensOrCloses = isOpen != wasOpen
    if next.connection != former.connection {
      // A frame that was captured for another orientation would be shown in this one.
      (shown, newestInstant) = (nil, 0)
      connectionChanges += 1
    }
    // A picture that is over does not keep the camera's memory.
    if !framesCome { shown = nil }
    guard closed == nil else { return update }
    if routing.orientation != next.connection.orientation {
      update.work += apply(routing.setOrientation(next.connection.orientation))
    }
    if routing.limits != next.limits { update.work += apply(routing.setLimits(next.limits)) }
    // Frames tell the layout themselves; before the first one the session's expectation is the best there is.
    let isExpected = layout != nil || former.expectedLayout != nil
    let bringsLayout = isExpected && expectsFirstFrame && routing.layout != layout
    if bringsLayout { update.work += apply(routing.setLayout(layout)) }
    if framesCome {
      update.slots = next.status == former.status ? [] : Array(slots.values)
      if bringsLayout { update.work.expecting = expectations }
    } else {
      update.expectations = expectations
    }
    return update
  }

  mutating func add(
    _ token: String, _ request: PreviewRequest, observer: ReaderSlot.LinkObserver
  ) throws(CaptureError) -> (ReaderSlot, Work) {
    if let closed { throw closed }
    let changes = try routing.add(token, request)
    let slot = ReaderSlot(
      token: token, maxBytes: request.maxPictureBytes, maxUnacknowledged: request.maxUnacknowledgedFrames,
      session: conditions.status, isOpen: isOpen, expected: expected(by: token),
      base: tally.seen(at: request.pace(.none)),
      link: request.isAdaptive ? LinkWatch(LinkAdaptation(steps: request.encoding.steps)) : nil,
      observer: request.isAdaptive ? observer : nil)
    slots[token] = slot
    return (slot, apply(changes))
  }

  /// Gives a reader less, or more again, as its link asks for.
  mutating func reduce(_ token: String, to reduction: Reduction) -> Work {
    guard closed == nil else { return Work() }
    return apply(routing.setReduction(reduction, of: token))
  }

  mutating func remove(_ token: String) -> (ReaderSlot?, Work) {
    guard let slot = slots.removeValue(forKey: token) else { return (nil, Work()) }
    return (slot, apply(routing.remove(token)))
  }

  /// Removes all readers of `variant`; they are the work's `refused`.
  mutating func removeReaders(of variant: EncodingVariant) -> Work {
    var work = Work()
    for slot in readers(of: variant).map(\.slot) {
      work += remove(slot.token).1
      work.refused.append(slot)
    }
    return work
  }

  /// See ``PreviewRoutingTable/shrink(_:on:bytes:)``.
  ///
  /// - Returns: also the encodings that the readers come to.
  mutating func shrink(_ readers: [ReaderSlot], on route: PreviewRoute, bytes: Int) -> (Work, [EncodingVariant]) {
    let tokens = readers.map(\.token)
    let work = apply(routing.shrink(tokens, on: route, bytes: bytes))
    let keys = Set(tokens.compactMap { if case .encode(let key)? = routing.route(of: $0) { key } else { nil } })
    return (work, keys.compactMap { variants[$0] })
  }

  /// Ends everything; the readers are the work's `refused`. Only the first error counts.
  mutating func close(_ error: CaptureError) -> Work {
    if closed == nil { closed = error }
    var work = apply(routing.removeAll())
    work.refused = Array(slots.values)
    (slots, shown) = ([:], nil)
    rebuild()
    return work
  }

  /// How the frame received last comes to a reader; nil when nobody knows yet.
  func way(to token: String) -> Way? {
    switch routing.route(of: token) {
    case .passThrough: Way(variant: nil, tally: tally)
    case .encode(let key): variants[key].map { Way(variant: $0, tally: tally) }
    case .unknown, nil: nil
    }
  }

  /// Empty once the variant was stopped.
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
      let variant = EncodingVariant(key: key)
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
    let named = routing.rates
    rates.set(named)
    tally.rates = tally.rates.filter { named.contains($0.key) }
  }
}

internal import CaptureCore

/// Which reader gets frames by which way, and which encodings must run therefore. A value without threads.
struct PreviewRoutingTable: Sendable {
  /// What the output must do after a change of the table, outside any lock.
  struct Changes: Equatable, Sendable {
    var started: Set<EncodingKey> = []
    var stopped: Set<EncodingKey> = []
    /// The tokens of readers that the table removed, because there was neither room for another encoding nor an
    /// encoding that the reader could share.
    var refused: [String] = []
  }

  private struct Entry: Sendable {
    var request: PreviewRequest
    var scale = PictureFit.fullScale
    var reduction = Reduction.none
    /// The reduction that the reader's link asks for. The reader does not get it while it would need an encoding too
    /// many.
    var wished = Reduction.none
    var route = PreviewRoute.unknown
  }

  private var entries: [String: Entry] = [:]
  /// The layout of the newest frame, or of the next frame while none come. Nil when it is not known.
  private(set) var layout: FrameLayout?
  /// How the connection turns pictures.
  private(set) var orientation = Orientation.asCaptured
  /// The limits of pictures under the present pressure.
  private(set) var limits = PictureLimits()
  /// The tokens of the readers on each way.
  private(set) var readers: [PreviewRoute: Set<String>] = [:]
  let maxEncodings: Int
  let maxReaders: Int

  init(maxEncodings: Int, maxReaders: Int) {
    self.maxEncodings = maxEncodings
    self.maxReaders = maxReaders
  }

  var readerCount: Int { entries.count }

  var encodings: Set<EncodingKey> {
    Set(readers.keys.compactMap { if case .encode(let key) = $0 { key } else { nil } })
  }

  func route(of token: String) -> PreviewRoute? { entries[token]?.route }

  /// The frames that a reader wants; every frame for an unknown reader.
  func pace(of token: String) -> FramePace {
    entries[token].map { $0.request.pace($0.reduction) } ?? FramePace()
  }

  /// The frame rates that readers asked for.
  var rates: Set<Rational> { Set(entries.values.compactMap(\.request.maxFrameRate)) }

  /// Adds a reader.
  ///
  /// Without a layout the table cannot tell which readers need an encoding, so each distinct wish counts as one.
  ///
  /// - Throws: `tooManyRequests` when the reader needs one encoding more than may run, or there are already as many
  ///   readers as there may be.
  mutating func add(_ token: String, _ request: PreviewRequest) throws(CaptureError) -> Changes {
    guard entries.count < maxReaders else { throw Self.tooMany("readers", maxReaders) }
    if layout == nil {
      let wishes = Set(entries.values.map(\.request.wish))
      // Readers who attached while the layout was known may have more distinct wishes than encodings may run.
      guard wishes.count < maxEncodings || wishes.contains(request.wish) else {
        throw Self.tooMany("encodings", maxEncodings)
      }
    }
    let (before, unlimited) = (encodings, unlimitedEncodings.count)
    entries[token] = Entry(request: request)
    // The readers who are there may already have more encodings than the limit. A new reader may share one of these,
    // because sharing adds no encoding.
    let most = max(maxEncodings, unlimited)
    if assign(token, limit: maxEncodings), unlimitedEncodings.count <= most { return changes(since: before) }
    unassign(token)
    entries[token]!.route = .unknown
    // A new reader is more important than the reductions of readers on slow links, so these are taken back to make
    // room.
    let former = self
    takeReductionsBack()
    guard assign(token, limit: maxEncodings), unlimitedEncodings.count <= most,
      encodings.count <= max(maxEncodings, before.count)
    else {
      self = former
      entries[token] = nil
      throw Self.tooMany("encodings", maxEncodings)
    }
    reduceAsWished()
    return changes(since: before)
  }

  /// Removes a reader. An unknown reader changes nothing.
  mutating func remove(_ token: String) -> Changes {
    let before = encodings
    unassign(token)
    entries[token] = nil
    return settled(since: before)
  }

  mutating func removeAll() -> Changes {
    let before = encodings
    entries = [:]
    readers = [:]
    return changes(since: before)
  }

  /// Takes the layout of the frames that follow; nil when it is not known. The table forgets which pictures it had made
  /// smaller to fit messages, and applies again what links ask for.
  mutating func setLayout(_ layout: FrameLayout?) -> Changes {
    self.layout = layout
    return assignAll()
  }

  /// Takes how the connection turns the pictures that follow. The table forgets which pictures it had made smaller to
  /// fit messages, and applies again what links ask for.
  mutating func setOrientation(_ orientation: Orientation) -> Changes {
    self.orientation = orientation
    return assignAll()
  }

  /// Takes the limits of the pictures that follow. The table forgets which pictures it had made smaller to fit
  /// messages, and applies again what links ask for. Once the limits are gone, readers get what they would have without
  /// them.
  mutating func setLimits(_ limits: PictureLimits) -> Changes {
    self.limits = limits
    return assignAll()
  }

  /// The encodings that will run once there are no limits any more. Then a reader must not be refused for want of room,
  /// so a new reader is measured by these encodings.
  private var unlimitedEncodings: Set<EncodingKey> {
    guard let layout, limits != PictureLimits() else { return encodings }
    let routes = entries.values.map { $0.request.route(for: layout, orientation: orientation, scale: $0.scale) }
    return Set(routes.compactMap { if case .encode(let key) = $0 { key } else { nil } })
  }

  private mutating func assignAll() -> Changes {
    let before = encodings
    readers = [:]
    var refused: [String] = []
    // The table takes the readers in the order of their tokens: which reader is refused must not depend on a hash.
    for token in entries.keys.sorted() {
      entries[token]!.scale = PictureFit.fullScale
      entries[token]!.route = .unknown
      // First every reader gets what it asked for, for which there is room. What the links need comes afterwards, as
      // far as room is left.
      entries[token]!.reduction = .none
      if !settle(token) { refused.append(token) }
    }
    for token in refused { entries[token] = nil }
    reduceAsWished()
    var changes = changes(since: before)
    changes.refused = refused
    return changes
  }

  /// Gives smaller pictures to readers whose message a picture of `bytes` on `route` did not fit. The readers keep the
  /// smaller size until the layout, the orientation or the limits change. Readers that have left `route` in the
  /// meantime are skipped.
  mutating func shrink(_ tokens: [String], on route: PreviewRoute, bytes: Int) -> Changes {
    let before = encodings
    var refused: [String] = []
    for token in tokens {
      guard var entry = entries[token], entry.route == route else { continue }
      entry.scale = PictureFit.smallerScale(than: entry.scale, bytes: bytes, limit: entry.request.maxPictureBytes)
      unassign(token)
      entries[token] = entry
      if !settle(token) { refused.append(token) }
    }
    for token in refused { entries[token] = nil }
    var changes = settled(since: before)
    changes.refused = refused
    return changes
  }

  /// Gives a reader less, or more again, as its link asks for. When that needs an encoding too many, only the rate
  /// changes, and the rest follows once another encoding stops.
  mutating func setReduction(_ reduction: Reduction, of token: String) -> Changes {
    guard entries[token] != nil else { return Changes() }
    let before = encodings
    entries[token]!.wished = reduction
    reduce(token)
    return settled(since: before)
  }

  private mutating func reduce(_ token: String) {
    guard let former = entries[token] else { return }
    unassign(token)
    entries[token]!.reduction = former.wished
    if !assign(token, limit: maxEncodings) {
      entries[token]!.reduction = former.reduction
      // The rate is a part of an H.264 encoding, so the rate cannot change alone.
      if former.request.encoding != .h264 { entries[token]!.reduction.every = former.wished.every }
      take(former.route, token)
    }
  }

  /// Gives all readers what their links ask for, as far as there is room.
  private mutating func reduceAsWished() {
    for token in entries.filter({ $0.value.reduction != $0.value.wished }).keys.sorted() { reduce(token) }
  }

  /// Gives readers what they asked for, whatever their links ask for. A reader that shares another encoding for want of
  /// room goes on sharing it.
  private mutating func takeReductionsBack() {
    for token in entries.filter({ $0.value.reduction != .none }).keys
    where entries[token]?.route == wantedRoute(of: token) {
      unassign(token)
      entries[token]!.reduction = .none
      if let route = wantedRoute(of: token) { take(route, token) }
    }
  }

  /// The changes since `before`. When an encoding has stopped, readers first get what their links ask for, as far as
  /// there is room now.
  private mutating func settled(since before: Set<EncodingKey>) -> Changes {
    if !before.isSubset(of: encodings) { reduceAsWished() }
    return changes(since: before)
  }

  /// Finds a way for a reader that is attached already, whose stream no change should end. Tries, in this order: the
  /// encoding that the reader wants, within the limit; a running encoding that differs only in quality; the wanted
  /// encoding beyond the limit, up to twice the limit; a running encoding with smaller pictures.
  ///
  /// - Returns: false when none of these is possible.
  private mutating func settle(_ token: String) -> Bool {
    if assign(token, limit: maxEncodings) { return true }
    guard case .encode(let wanted)? = wantedRoute(of: token) else { return false }
    let shareable = encodings.filter { $0.canStandIn(for: wanted) }
    if let same = wanted.nearest(of: shareable.filter { ($0.size, $0.crop) == (wanted.size, wanted.crop) }) {
      take(.encode(same), token)
      return true
    }
    if assign(token, limit: 2 * maxEncodings) { return true }
    guard let smaller = wanted.nearest(of: shareable) else { return false }
    take(.encode(smaller), token)
    return true
  }

  /// Gives a reader the way that it wants.
  ///
  /// - Parameter limit: the most encodings that may run, including a new one for this reader.
  /// - Returns: false when the reader needs an encoding for which the limit leaves no room.
  private mutating func assign(_ token: String, limit: Int) -> Bool {
    guard let route = wantedRoute(of: token) else { return true }
    if case .encode = route, readers[route] == nil, encodings.count >= limit { return false }
    take(route, token)
    return true
  }

  private mutating func take(_ route: PreviewRoute, _ token: String) {
    entries[token]!.route = route
    readers[route, default: []].insert(token)
  }

  /// The way for what a reader asked for, as far as its link and the limits allow. `unknown` while there is no layout,
  /// and nil for an unknown reader.
  private func wantedRoute(of token: String) -> PreviewRoute? {
    entries[token].map { entry in
      layout.map {
        entry.request.route(
          for: $0, orientation: orientation, scale: entry.scale, reduction: entry.reduction, limits: limits)
      } ?? .unknown
    }
  }

  private mutating func unassign(_ token: String) {
    guard let route = entries[token]?.route else { return }
    readers[route]?.remove(token)
    if readers[route]?.isEmpty == true { readers[route] = nil }
  }

  private func changes(since before: Set<EncodingKey>) -> Changes {
    let now = encodings
    return Changes(started: now.subtracting(before), stopped: before.subtracting(now))
  }

  static func tooMany(_ what: String, _ limit: Int) -> CaptureError {
    CaptureError(
      .tooManyRequests, "The preview has \(limit) \(what) already, which is the most it takes.",
      metadata: ["limit": "\(limit)", "of": what])
  }
}

extension PreviewRequest {
  /// The part of a request on which an encoding may depend, for readers whose ways are not known yet because the
  /// camera's layout is not.
  fileprivate var wish: PreviewRequest {
    var wish = self
    wish.maxMessageBytes = 0
    wish.maxUnacknowledgedFrames = 0
    wish.isAdaptive = false
    if encoding != .h264 { wish.maxFrameRate = nil }
    if encoding == .nv12 || encoding == .yuyv { wish.jpegQuality = 0 }
    return wish
  }
}

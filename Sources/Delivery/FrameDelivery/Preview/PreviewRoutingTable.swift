internal import CaptureCore

/// Which reader gets frames by which way, and so which encodings must run. A value without threads.
struct PreviewRoutingTable: Sendable {
  /// What to do after a change, outside any lock.
  struct Changes: Equatable, Sendable {
    var started: Set<EncodingKey> = []
    var stopped: Set<EncodingKey> = []
    /// Readers that were removed, because there is neither room for another encoding nor one that they could share.
    var refused: [String] = []
  }

  private struct Entry: Sendable {
    var request: PreviewRequest
    var scale = PictureFit.fullScale
    var reduction = Reduction.none
    /// What its link asks for: it may be an encoding too many.
    var wished = Reduction.none
    var route = PreviewRoute.unknown
  }

  private var entries: [String: Entry] = [:]
  /// Of the newest frame, or of the next while none come.
  private(set) var layout: FrameLayout?
  /// How pictures are turned.
  private(set) var orientation = Orientation.asCaptured
  /// What pictures may be at most under the present pressure.
  private(set) var limits = PictureLimits()
  /// Readers by way.
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

  /// Every frame for unknown readers.
  func pace(of token: String) -> FramePace {
    entries[token].map { $0.request.pace($0.reduction) } ?? FramePace()
  }

  /// That readers named.
  var rates: Set<Rational> { Set(entries.values.compactMap(\.request.maxFrameRate)) }

  /// Adds a reader.
  ///
  /// Without a layout nobody knows which readers need an encoding, so each distinct wish counts as one.
  ///
  /// - Throws: `tooManyRequests` when it needs an encoding more than the output may run, or a reader too many.
  mutating func add(_ token: String, _ request: PreviewRequest) throws(CaptureError) -> Changes {
    guard entries.count < maxReaders else { throw Self.tooMany("readers", maxReaders) }
    if layout == nil {
      let wishes = Set(entries.values.map(\.request.wish))
      // When there was a layout, those who are there may have come with more wishes than encodings.
      guard wishes.count < maxEncodings || wishes.contains(request.wish) else {
        throw Self.tooMany("encodings", maxEncodings)
      }
    }
    let (before, unlimited) = (encodings, unlimitedEncodings.count)
    entries[token] = Entry(request: request)
    // Those who are there may have more than there may be; who shares theirs adds nothing.
    let most = max(maxEncodings, unlimited)
    if assign(token, limit: maxEncodings), unlimitedEncodings.count <= most { return changes(since: before) }
    unassign(token)
    entries[token]!.route = .unknown
    // Who comes goes before what links ask for.
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

  /// Removes a reader; an unknown one changes nothing.
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

  /// Takes the layout of the frames that follow, nil when nobody knows; reductions made for the old one are forgotten.
  mutating func setLayout(_ layout: FrameLayout?) -> Changes {
    self.layout = layout
    return assignAll()
  }

  /// Takes how the pictures that follow are turned; reductions are forgotten.
  mutating func setOrientation(_ orientation: Orientation) -> Changes {
    self.orientation = orientation
    return assignAll()
  }

  /// Takes what pictures may be at most; reductions are forgotten. Without limits it is again as if there had been
  /// none.
  mutating func setLimits(_ limits: PictureLimits) -> Changes {
    self.limits = limits
    return assignAll()
  }

  /// The encodings there will be once nothing is limited: readers must not be refused for that then.
  private var unlimitedEncodings: Set<EncodingKey> {
    guard let layout, limits != PictureLimits() else { return encodings }
    let routes = entries.values.map { $0.request.route(for: layout, orientation: orientation, scale: $0.scale) }
    return Set(routes.compactMap { if case .encode(let key) = $0 { key } else { nil } })
  }

  private mutating func assignAll() -> Changes {
    let before = encodings
    readers = [:]
    var refused: [String] = []
    // In the order of their tokens: which reader is refused must not depend on a hash.
    for token in entries.keys.sorted() {
      entries[token]!.scale = PictureFit.fullScale
      entries[token]!.route = .unknown
      // As asked for there is room for all of them; what links need comes after, as far as there is.
      entries[token]!.reduction = .none
      if !settle(token) { refused.append(token) }
    }
    for token in refused { entries[token] = nil }
    reduceAsWished()
    var changes = changes(since: before)
    changes.refused = refused
    return changes
  }

  /// Gives smaller pictures to readers whose message a JPEG of `bytes`, gotten by `route`, did not fit. They keep the
  /// smaller size until the layout changes. Readers that have left that way in the meantime are skipped.
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

  /// Gives a reader less, or more again. What would need an encoding too many is left as it is, but for the rate, until
  /// another one stops.
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
      // Of H.264 the rate is a part of the encoding.
      if former.request.encoding != .h264 { entries[token]!.reduction.every = former.wished.every }
      take(former.route, token)
    }
  }

  /// Gives all readers what their links ask for, as far as there is room.
  private mutating func reduceAsWished() {
    for token in entries.filter({ $0.value.reduction != $0.value.wished }).keys.sorted() { reduce(token) }
  }

  /// Gives readers what they asked for, whatever their links do. Who shares with others because there was no room stays there.
  private mutating func takeReductionsBack() {
    for token in entries.filter({ $0.value.reduction != .none }).keys
    where entries[token]?.route == wantedRoute(of: token) {
      unassign(token)
      entries[token]!.reduction = .none
      if let route = wantedRoute(of: token) { take(route, token) }
    }
  }

  /// What changed, with what links ask for and there is room at present.
  private mutating func settled(since before: Set<EncodingKey>) -> Changes {
    if !before.isSubset(of: encodings) { reduceAsWished() }
    return changes(since: before)
  }

  /// Finds the way of a reader that is there, which nothing may end: without room for an encoding of its own by one that
  /// differs in quality, else by one too many, and when these are too many too, by a smaller one.
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

  /// - Parameter limit: encodings, with the reader's own if there is none such yet.
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

  /// Nil for an unknown reader.
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
  /// What an encoding could depend on, when the camera's layout is not known.
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

internal import CaptureCore
internal import SystemClocks

/// Which pictures a history has, and where they lie in its file. A value without a file.
///
/// The file consists of segments of equal size. Pictures fill a segment one after the other, and a segment is free
/// again when all of its pictures are older than the history must reach back. The file therefore takes hardly more than
/// the pictures need, and may grow and shrink at any time. `Content` is what the index keeps of a picture besides its
/// bytes.
struct HistoryIndex<Content: Sendable>: Sendable {
  /// A picture of the history.
  struct Entry: Sendable {
    /// Counts the pictures of the history, from 1.
    var number: UInt64
    /// When the frame was captured; never earlier than the entry before.
    var captured: MonotonicInstant
    /// Where the bytes lie in the file.
    var offset: Int
    var count: Int
    /// All that the history lost or left out up to this picture, since the history began.
    var losses: HistoryLosses
    var content: Content
  }

  let segmentBytes: Int
  /// The pictures, oldest first.
  private(set) var entries: [Entry] = []
  /// The shortest time, in nanoseconds, that the history reached back since the file became too small for what it must
  /// keep. Nil while the file is large enough.
  private(set) var reach: UInt64?
  private var losses = HistoryLosses()
  private var count: UInt64 = 0
  /// The segment that is being filled, and the bytes of it that are used.
  private var filling: (segment: Int, used: Int)?
  private var free: Set<Int> = []
  private var segmentCount = 0

  /// - Parameter segmentBytes: the size of a segment, and the most bytes of a picture.
  init(segmentBytes: Int = HistoryBudget.segmentBytes) { self.segmentBytes = segmentBytes }

  /// The bytes that the file takes at most.
  var fileBytes: Int { segmentCount * segmentBytes }

  /// Counts frames that are missing before the next picture.
  mutating func lose(_ dropped: DropCounts, omitted: UInt64 = 0) {
    losses.dropped += dropped
    losses.omitted += omitted
  }

  /// Makes room for a picture, by forgetting pictures that are too old, and also others if the file has as many
  /// segments as it may have.
  ///
  /// - Parameters:
  ///   - bytes: the size of the picture.
  ///   - captured: when the picture was captured.
  ///   - kept: how far the history must reach back from there, in nanoseconds.
  ///   - segmentLimit: the most segments of the file; at least 2.
  /// - Returns: where the picture goes in the file. Nil when it is larger than a segment.
  mutating func place(
    _ bytes: Int, at captured: MonotonicInstant, keeping kept: UInt64, segmentLimit: Int
  ) -> Int? {
    guard bytes <= segmentBytes else { return nil }
    let horizon = captured - kept
    forget(before: horizon)
    if filling.map({ $0.used + bytes > segmentBytes }) ?? true {
      filling = (nextSegment(segmentLimit, horizon), 0)
    }
    guard let (segment, used) = filling else { return nil }
    return segment * segmentBytes + used
  }

  /// Adds the picture that was written where ``place(_:at:keeping:segmentLimit:)`` said.
  mutating func append(_ content: Content, at captured: MonotonicInstant, offset: Int, count bytes: Int) {
    count += 1
    filling?.used += bytes
    entries.append(
      Entry(
        number: count, captured: max(captured, entries.last?.captured ?? captured), offset: offset, count: bytes,
        losses: losses, content: content))
  }

  /// The position of the newest picture that was captured at `instant` or before. Nil when there is none.
  func newest(at instant: MonotonicInstant) -> Int? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].captured <= instant { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  /// Frees the segments whose pictures nobody will ask for who is no later than `horizon`. The newest picture before
  /// the horizon stays, because it is the one to show at the horizon.
  private mutating func forget(before horizon: MonotonicInstant) {
    while let first = entries.first, let next = entries.firstIndex(where: { segment(of: $0) != segment(of: first) }),
      entries[next].captured <= horizon
    {
      forgetSegment(until: next)
      reach = nil
    }
    while segmentCount > 0, free.remove(segmentCount - 1) != nil { segmentCount -= 1 }
  }

  private mutating func nextSegment(_ limit: Int, _ horizon: MonotonicInstant) -> Int {
    if let segment = free.min() {
      free.remove(segment)
      return segment
    }
    if segmentCount < max(2, limit) {
      segmentCount += 1
      return segmentCount - 1
    }
    guard let first = entries.first.map(segment) else { return filling?.segment ?? 0 }
    let next = entries.firstIndex { segment(of: $0) != first } ?? entries.count
    // A reader at the horizon has had all pictures that are older than it.
    let isMissed = entries[next - 1].captured > horizon
    forgetSegment(until: next)
    free.remove(first)
    guard isMissed else { return first }
    let span = entries.last?.captured.nanoseconds(since: entries[0].captured) ?? 0
    reach = min(span, reach ?? span)
    return first
  }

  private mutating func forgetSegment(until next: Int) {
    free.insert(segment(of: entries[0]))
    entries.removeFirst(next)
  }

  private func segment(of entry: Entry) -> Int { entry.offset / segmentBytes }
}

/// Frames that are missing between two pictures of a history, or since the history began.
struct HistoryLosses: Hashable, Sendable {
  /// The frames that were lost, by cause.
  var dropped = DropCounts()
  /// The frames that were left out because the readers asked for fewer.
  var omitted: UInt64 = 0

  /// What was lost since `earlier`, when less had been lost.
  func since(_ earlier: HistoryLosses) -> HistoryLosses {
    let (now, before) = (dropped, earlier.dropped)
    return HistoryLosses(
      dropped: DropCounts(
        late: now.late - before.late, outOfBuffers: now.outOfBuffers - before.outOfBuffers,
        discontinuity: now.discontinuity - before.discontinuity, damaged: now.damaged - before.damaged),
      omitted: omitted - earlier.omitted)
  }
}

/// How large the file of a history may become.
enum HistoryBudget {
  /// The size of the pieces in which the file grows and is used again. A picture fits into a message of 4 MiB, so a
  /// segment holds two at least.
  static let segmentBytes = 8 << 20
  /// The most bytes of a picture, which is a message.
  static let largestPicture = 4 << 20
  /// The most bytes of the file of one history.
  static let largest = 1 << 30
  /// The time that a history keeps beyond the longest delay, in nanoseconds, for a reader that is a little late.
  static let slack: UInt64 = 500_000_000

  /// The most bytes that a JPEG picture of a usual scene has. Pictures of noise may be larger.
  static func expectedBytes(_ size: Size, quality: Int) -> Int {
    // 0.6 bytes per pixel up to quality 80, and 2 at quality 100.
    let perPixel = 0.6 + 1.4 * Double(max(0, quality - 80)) / 20
    return max(4096, Int(Double(size.pixelCount) * perPixel))
  }

  /// Pictures per second, by the median of the times between pictures: a gap must not count as a low rate.
  static func rate(of times: [MonotonicInstant]) -> Double {
    let intervals = zip(times.dropFirst(), times).map { $0.nanoseconds(since: $1) }.sorted()
    guard !intervals.isEmpty else { return 30 }
    return 1e9 / Double(max(1_000_000, intervals[(intervals.count - 1) / 2]))
  }

  /// The most segments of a history.
  ///
  /// - Parameters:
  ///   - rate: pictures per second.
  ///   - delay: how far the history must reach back, in nanoseconds.
  static func segments(_ size: Size, quality: Int, rate: Double, delay: UInt64) -> Int {
    let pictures = rate * Double(delay + slack) / 1e9 + 1
    let bytes = min(Double(largest), pictures * Double(expectedBytes(size, quality: quality)))
    // One segment is being filled, and one is not yet old enough to be free.
    return min(largest / segmentBytes, Int((bytes / Double(segmentBytes)).rounded(.up)) + 2)
  }
}

/// The values that something had, each with the instant from which on it had the value. A value without threads.
struct Timeline<Value: Hashable & Sendable>: Sendable {
  private(set) var changes: [(since: MonotonicInstant, value: Value)] = []

  /// Adds a value that holds from `instant` on.
  mutating func append(_ value: Value, since instant: MonotonicInstant) {
    changes.append((max(instant, changes.last?.since ?? instant), value))
  }

  /// Lets the values that were added for a picture hold before the picture: what came later than `instant` holds from
  /// `instant` on.
  mutating func advance(to instant: MonotonicInstant) {
    for index in changes.indices.reversed() {
      guard changes[index].since > instant else { return }
      changes[index].since = instant
    }
  }

  /// Forgets the values that no longer held at `horizon`.
  mutating func forget(before horizon: MonotonicInstant) {
    while changes.count > 1, changes[1].since <= horizon { changes.removeFirst() }
  }

  /// The value at `instant`; before the first change, the first value. Nil while there is no value.
  func value(at instant: MonotonicInstant) -> Value? {
    (changes.last { $0.since <= instant } ?? changes.first)?.value
  }

  /// When the value changes next after `instant`.
  func nextChange(after instant: MonotonicInstant) -> MonotonicInstant? {
    changes.first { $0.since > instant }?.since
  }
}

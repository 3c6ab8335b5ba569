internal import CaptureCore
internal import SystemClocks

/// Captures that somebody is about to ask for, and who watches. A value.
struct TrackedCaptures: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    /// Nil: of all watchers together.
    var watcher: String?
    /// When it ends by itself: nobody is known who could go.
    var end: MonotonicInstant?
    var waitsForSensor: Bool
  }

  private var entries: [String: Entry] = [:]
  private var watchers: Set<String> = []
  private static let maximum = 128
  /// A touch becomes a request within a round trip; whoever needs longer is gone.
  static let longestUnwatched: UInt64 = 10_000_000_000

  /// When the next one ends by itself.
  var nextEnd: MonotonicInstant? { entries.values.compactMap(\.end).min() }

  var isEmpty: Bool { entries.isEmpty }
  /// Whether one of them will wait for a frame that is not captured yet.
  var waitsForSensor: Bool { entries.values.contains(where: \.waitsForSensor) }

  /// - Parameter watcher: with whom it ends. Nil: with the last, and after ten seconds in any case: others who watch say
  ///   nothing of who asked.
  /// - Throws: `streamNotFound`, `tooManyRequests`.
  mutating func start(
    _ uniqueID: String, watcher: String?, waitsForSensor: Bool, at now: MonotonicInstant
  ) throws(CaptureError) {
    removeExpired(at: now)
    if let watcher, !watchers.contains(watcher) {
      throw CaptureError(
        .streamNotFound,
        "No WatchReadiness with the token \(watcher.prefix(80)) is open on this session; watch first.",
        metadata: ["stream_token": String(watcher.prefix(80))], field: "stream_token")
    }
    guard entries[uniqueID] == nil else { return }
    guard entries.count < Self.maximum else {
      throw CaptureError(
        .tooManyRequests, "\(Self.maximum) captures are tracked already, which is the most; stop tracking some.",
        metadata: ["limit": "\(Self.maximum)"])
    }
    let end = watcher == nil ? now + Self.longestUnwatched : nil
    entries[uniqueID] = Entry(watcher: watcher, end: end, waitsForSensor: waitsForSensor)
  }

  mutating func stop(_ uniqueID: String) { entries[uniqueID] = nil }

  /// Ends what has been nobody's for long enough.
  mutating func removeExpired(at now: MonotonicInstant) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { $0.value.end.map { now < $0 } ?? true }
  }

  /// - Throws: `tooManyRequests` above 256.
  mutating func addWatcher(_ watcher: String) throws(CaptureError) {
    guard watchers.count < PhotoOutput.maxWatchers else { throw .tooManyWatchers("WatchReadiness") }
    watchers.insert(watcher)
  }

  mutating func removeWatcher(_ watcher: String) {
    watchers.remove(watcher)
    entries = entries.filter { $0.value.watcher.map { $0 != watcher } ?? !watchers.isEmpty }
  }
}

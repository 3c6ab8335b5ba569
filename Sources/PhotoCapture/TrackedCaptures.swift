internal import CaptureCore

/// Captures that somebody is about to ask for, and who watches. A value.
struct TrackedCaptures: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    /// Nil: of all watchers together.
    var watcher: UInt64?
    var waitsForSensor: Bool
  }

  private var entries: [String: Entry] = [:]
  private var watchers: Set<UInt64> = []
  private static let maximum = 128

  var isEmpty: Bool { entries.isEmpty }
  /// Whether one of them will wait for a frame that is not captured yet.
  var waitsForSensor: Bool { entries.values.contains(where: \.waitsForSensor) }

  /// - Parameter watcher: with whom it ends.
  /// - Throws: `streamNotFound`, `tooManyRequests`.
  mutating func start(_ uniqueID: String, watcher: UInt64?, waitsForSensor: Bool) throws(CaptureError) {
    if let watcher, !watchers.contains(watcher) {
      throw CaptureError(
        .streamNotFound, "No WatchReadiness with the token \(watcher) is open on this session; watch first.",
        metadata: ["stream_token": "\(watcher)"], field: "stream_token")
    }
    guard entries[uniqueID] == nil else { return }
    guard entries.count < Self.maximum else {
      throw CaptureError(
        .tooManyRequests, "\(Self.maximum) captures are tracked already, which is the most; stop tracking some.",
        metadata: ["limit": "\(Self.maximum)"])
    }
    entries[uniqueID] = Entry(watcher: watcher, waitsForSensor: waitsForSensor)
  }

  mutating func stop(_ uniqueID: String) { entries[uniqueID] = nil }

  mutating func addWatcher(_ watcher: UInt64) { watchers.insert(watcher) }

  mutating func removeWatcher(_ watcher: UInt64) {
    watchers.remove(watcher)
    entries = entries.filter { $0.value.watcher.map { $0 != watcher } ?? !watchers.isEmpty }
  }
}

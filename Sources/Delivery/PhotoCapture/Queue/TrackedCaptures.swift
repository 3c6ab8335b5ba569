internal import CaptureCore
internal import SystemClocks

/// The captures that clients are about to ask for, and the watchers of readiness. A value.
struct TrackedCaptures: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    /// The watcher whose client asked for the tracking. Nil when the output does not know which client asked.
    var watcher: String?
    /// When the tracking ends by itself; nil when it ends with its watcher.
    var end: MonotonicInstant?
    var waitsForSensor: Bool
  }

  private var entries: [String: Entry] = [:]
  private var watchers: Set<String> = []
  private static let maximum = 128
  /// How long a capture is tracked for a client that named no watcher, in nanoseconds. A client tracks a capture when a
  /// person touches the shutter, and asks for the capture a round trip later. A client that needs longer than this is
  /// gone.
  static let longestUnwatched: UInt64 = 10_000_000_000

  /// When the next tracking ends by itself.
  var nextEnd: MonotonicInstant? { entries.values.compactMap(\.end).min() }

  var isEmpty: Bool { entries.isEmpty }
  /// Whether one of the captures will wait for a frame that the camera has not captured yet.
  var waitsForSensor: Bool { entries.values.contains(where: \.waitsForSensor) }

  /// Tracks the capture of a request.
  ///
  /// - Parameter watcher: as ``start(_:watcher:waitsForSensor:at:)``.
  /// - Throws: `streamNotFound`, `tooManyRequests`.
  mutating func start(
    _ request: PhotoRequest, watcher: String?, _ features: PhotoFeatures, at now: MonotonicInstant
  ) throws(CaptureError) {
    let setsCamera = request.shot(flash: request.exposure.flashMode == .on, features.shots) != nil
    let traits = CapturePlace.Traits(request, setsCamera: setsCamera, features)
    try start(request.uniqueID, watcher: watcher, waitsForSensor: traits.waitsForSensor, at: now)
  }

  /// Tracks a capture.
  ///
  /// - Parameter watcher: the tracking ends when this watcher goes. Nil when the output does not know which client
  ///   asked: the tracking then ends when the last watcher goes, and after ten seconds in any case.
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

  /// Ends the tracking of a capture.
  mutating func stop(_ uniqueID: String) { entries[uniqueID] = nil }

  /// Ends the tracking of captures whose time is over.
  mutating func removeExpired(at now: MonotonicInstant) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { $0.value.end.map { now < $0 } ?? true }
  }

  /// Adds a watcher.
  ///
  /// - Throws: `tooManyRequests` above 256.
  mutating func addWatcher(_ watcher: String) throws(CaptureError) {
    guard watchers.count < PhotoOutput.maxWatchers else { throw .tooManyWatchers("WatchReadiness") }
    watchers.insert(watcher)
  }

  /// Removes a watcher, and ends the tracking that depends on it.
  mutating func removeWatcher(_ watcher: String) {
    watchers.remove(watcher)
    entries = entries.filter { $0.value.watcher.map { $0 != watcher } ?? !watchers.isEmpty }
  }
}

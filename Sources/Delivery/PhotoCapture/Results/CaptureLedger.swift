internal import CaptureCore
internal import SystemClocks

/// The captures by their unique ids: the captures in progress, the finished ones for a while, and the ids of earlier
/// captures. A value without clock or lock.
struct CaptureLedger: Sendable {
  /// How many finished captures the ledger keeps, and for how long.
  struct Limits: Sendable {
    /// How long the ledger keeps a finished capture, in nanoseconds.
    var retentionNanoseconds: UInt64 = 60_000_000_000
    /// The number of finished captures that the ledger keeps at most.
    var captures = 64
    /// The bytes of finished photos that the ledger keeps at most.
    var bytes = 256 << 20
    /// The number of ids that the ledger remembers, also after their captures are gone.
    var ids = 10_000
  }

  private struct Finished: Sendable {
    var uniqueID: String
    var at: MonotonicInstant
  }

  private let limits: Limits
  private var captures: [String: StoredCapture] = [:]
  private var lastNumber: UInt64 = 0
  /// The finished captures, oldest first.
  private var finished: [Finished] = []
  private var byteCount = 0
  private var usedIDs: UsedIDs

  init(limits: Limits = Limits()) {
    self.limits = limits
    usedIDs = UsedIDs(capacity: limits.ids)
  }

  /// Begins a capture.
  ///
  /// - Parameters:
  ///   - sessionID: the session that takes the photo.
  ///   - requestTime: when the request for the capture arrived.
  /// - Throws: `settingsIDReused` when another capture has or had the id.
  mutating func begin(_ uniqueID: String, of sessionID: String, at requestTime: WallInstant) throws(CaptureError) {
    guard !isUsed(uniqueID) else { throw .reused(uniqueID) }
    lastNumber += 1
    captures[uniqueID] = StoredCapture(
      uniqueID: uniqueID, sessionID: sessionID, number: lastNumber, requestTime: requestTime, state: .inProgress)
    usedIDs.insert(uniqueID)
  }

  /// Whether a capture has or had this id.
  func isUsed(_ uniqueID: String) -> Bool { captures[uniqueID] != nil || usedIDs.contains(uniqueID) }

  /// Ends a capture in progress, with its photos or with the reason why there are none. Does nothing for a capture that
  /// is over or that the ledger does not have.
  mutating func finish(_ uniqueID: String, _ result: Result<[Photo], CaptureError>, at now: MonotonicInstant) {
    guard var capture = captures[uniqueID], case .inProgress = capture.state else { return }
    switch result {
    case .success(let photos): capture.state = .finished(photos)
    case .failure(let error): capture.state = .failed(error)
    }
    captures[uniqueID] = capture
    finished.append(Finished(uniqueID: uniqueID, at: now))
    byteCount += capture.byteCount
    removeExpired(at: now)
    // The newest capture stays, however large it is, because a client is about to fetch it.
    while finished.count > 1, finished.count > limits.captures || byteCount > limits.bytes { removeOldest() }
  }

  /// The capture with this id; nil when the ledger does not have it.
  func capture(_ uniqueID: String) -> StoredCapture? { captures[uniqueID] }

  /// The captures in progress and the finished captures that are kept, in no order.
  var all: [StoredCapture] { Array(captures.values) }

  /// Removes the finished captures that were kept for long enough.
  ///
  /// - Returns: whether there were any.
  @discardableResult
  mutating func removeExpired(at now: MonotonicInstant) -> Bool {
    let before = finished.count
    while let oldest = finished.first, now.nanoseconds(since: oldest.at) >= limits.retentionNanoseconds {
      removeOldest()
    }
    return finished.count < before
  }

  /// Removes the oldest finished capture, to make room for a new photo.
  ///
  /// - Returns: false when no finished capture is left.
  @discardableResult
  mutating func removeOldest() -> Bool {
    guard !finished.isEmpty else { return false }
    let oldest = finished.removeFirst()
    byteCount -= captures.removeValue(forKey: oldest.uniqueID)?.byteCount ?? 0
    return true
  }
}

internal import CaptureCore
internal import Imaging
internal import SystemClocks

/// Captures by their unique id: those under way, those finished for a while, and which ids were ever used. A value
/// without clock or lock.
struct CaptureLedger: Sendable {
  struct Limits: Sendable {
    /// How long a finished capture is kept.
    var retentionNanoseconds: UInt64 = 60_000_000_000
    /// Finished captures kept.
    var captures = 64
    /// Bytes of finished photos kept.
    var bytes = 256 << 20
    /// Ids remembered after their captures are gone.
    var ids = 10_000
  }

  private struct Finished: Sendable {
    var uniqueID: String
    var at: MonotonicInstant
    var byteCount: Int
  }

  private let limits: Limits
  private var captures: [String: StoredCapture] = [:]
  private var lastNumber: UInt64 = 0
  /// Oldest first.
  private var finished: [Finished] = []
  private var byteCount = 0
  private var usedIDs: Set<String> = []
  /// A ring: `oldestID` is the next to be overwritten once it is full.
  private var idRing: [String] = []
  private var oldestID = 0

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Begins a capture.
  ///
  /// - Throws: `settingsIDReused` when the id was used before.
  mutating func begin(_ uniqueID: String, of sessionID: String, at requestTime: WallInstant) throws(CaptureError) {
    guard !isUsed(uniqueID) else {
      throw Self.reused(uniqueID)
    }
    lastNumber += 1
    captures[uniqueID] = StoredCapture(
      uniqueID: uniqueID, sessionID: sessionID, number: lastNumber, requestTime: requestTime, state: .inProgress)
    usedIDs.insert(uniqueID)
    if idRing.count < limits.ids {
      idRing.append(uniqueID)
    } else {
      usedIDs.remove(idRing[oldestID])
      idRing[oldestID] = uniqueID
      oldestID = (oldestID + 1) % limits.ids
    }
  }

  static func reused(_ uniqueID: String) -> CaptureError {
    CaptureError(
      .settingsIDReused, "unique_id \(uniqueID) was used before; read that capture, or take a new id.",
      metadata: ["unique_id": uniqueID], field: "settings.unique_id")
  }

  /// Whether a capture has or had this id.
  func isUsed(_ uniqueID: String) -> Bool { captures[uniqueID] != nil || usedIDs.contains(uniqueID) }

  /// Ends a capture under way, with its photo or the reason there is none.
  mutating func finish(_ uniqueID: String, _ result: Result<[Photo], CaptureError>, at now: MonotonicInstant) {
    guard case .inProgress? = captures[uniqueID]?.state else { return }
    var bytes = 0
    switch result {
    case .success(let photos):
      captures[uniqueID]?.state = .finished(photos)
      bytes = photos.reduce(0) { $0 + $1.picture.buffer.count }
    case .failure(let error):
      captures[uniqueID]?.state = .failed(error)
    }
    finished.append(Finished(uniqueID: uniqueID, at: now, byteCount: bytes))
    byteCount += bytes
    removeExpired(at: now)
    // The newest stays, however large: someone is about to fetch it.
    while finished.count > 1, finished.count > limits.captures || byteCount > limits.bytes { removeOldest() }
  }

  func capture(_ uniqueID: String) -> StoredCapture? { captures[uniqueID] }

  /// Those under way and those kept, in no order.
  var all: [StoredCapture] { Array(captures.values) }

  /// - Returns: whether there were any.
  @discardableResult
  mutating func removeExpired(at now: MonotonicInstant) -> Bool {
    let before = finished.count
    while let oldest = finished.first, now.nanoseconds(since: oldest.at) >= limits.retentionNanoseconds {
      removeOldest()
    }
    return finished.count < before
  }

  /// Makes room for a new photo.
  ///
  /// - Returns: false when nothing is left to remove.
  @discardableResult
  mutating func removeOldest() -> Bool {
    guard !finished.isEmpty else { return false }
    let oldest = finished.removeFirst()
    byteCount -= oldest.byteCount
    captures[oldest.uniqueID] = nil
    return true
  }
}

public import CaptureCore
internal import Imaging
public import SystemClocks

/// A capture as the store keeps it.
public struct StoredCapture: Sendable {
  /// The progress of a capture.
  public enum State: Sendable {
    /// The capture waits for its turn, or its photos are being captured or processed.
    case inProgress
    /// The capture has made one photo, or the photos of its bracket in their order.
    case finished([Photo])
    /// The capture ended without a photo, for the reason in the error.
    case failed(CaptureError)
  }

  /// The id of the capture.
  public var uniqueID: String
  /// The id of the session that took the photo. The session may no longer exist.
  public var sessionID: String
  /// A number that grows with each capture of the daemon, in the order of the requests.
  public var number: UInt64
  /// When the request for the capture arrived.
  public var requestTime: WallInstant
  /// The progress of the capture, and its photos or its error once it is over.
  public var state: State

  /// The memory that the photos of the capture take, in bytes; 0 for a capture without photos.
  var byteCount: Int {
    guard case .finished(let photos) = state else { return 0 }
    return photos.reduce(0) { $0 + $1.picture.buffer.count }
  }
}

/// The captures by their unique ids: the captures in progress, the finished ones for a while, and the ids of earlier
/// captures. A value without clock or lock.
struct StoredCaptures: Sendable {
  /// How many finished captures are kept, and for how long.
  struct Limits: Sendable {
    /// How long a finished capture is kept, in nanoseconds.
    var retentionNanoseconds: UInt64 = 60_000_000_000
    /// The number of finished captures that are kept at most.
    var captures = 64
    /// The bytes of finished photos that are kept at most.
    var bytes = 256 << 20
    /// The number of ids that are remembered, also after their captures are gone.
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
  /// is over or that is not kept.
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

  /// The capture with this id; nil when it is not kept.
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

/// The ids of the last captures, so that no two captures have the same id. A value.
///
/// When a new id exceeds the capacity, the oldest id is forgotten.
struct UsedIDs: Sendable {
  private let capacity: Int
  private var ids: Set<String> = []
  /// The ids in the order of their captures. Once the ring is full, the id at `oldest` is overwritten next.
  private var ring: [String] = []
  private var oldest = 0

  /// - Parameter capacity: the number of ids to remember, at least 1.
  init(capacity: Int) { self.capacity = capacity }

  func contains(_ id: String) -> Bool { ids.contains(id) }

  /// Remembers an id that is not remembered yet.
  mutating func insert(_ id: String) {
    ids.insert(id)
    if ring.count < capacity {
      ring.append(id)
    } else {
      ids.remove(ring[oldest])
      ring[oldest] = id
      oldest = (oldest + 1) % capacity
    }
  }
}

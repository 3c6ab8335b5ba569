public import CaptureCore
internal import Imaging
internal import Synchronization
internal import SystemClocks

/// Captures by their unique id, across all sessions of the daemon. Thread-safe.
///
/// Finished ones are kept for 60 seconds, at most 64 of them and 256 MiB, the oldest going first. An id cannot be used
/// again while its capture is kept, nor within the next 10,000 captures.
public final class CaptureStore: Sendable {
  /// Finished captures that are kept.
  package static let maxKept = CaptureLedger.Limits().captures
  /// Photos are encoded into this memory: what may be kept, and room to work, which is also what readers may hold of photos
  /// that are no longer kept.
  let pool: FramePool
  /// Tells its captures from those of other runs, whose numbers begin anew too.
  public let name = RandomToken.make(words: 1)
  private let ledger: Mutex<CaptureLedger>
  private let now: @Sendable () -> MonotonicInstant
  private let holds = Atomic<Int>(0)

  public convenience init() { self.init(limits: CaptureLedger.Limits(), now: { .now() }) }

  init(limits: CaptureLedger.Limits, now: @escaping @Sendable () -> MonotonicInstant) {
    pool = FramePool(budget: limits.bytes + 64 << 20, kept: limits.bytes)
    ledger = Mutex(CaptureLedger(limits: limits))
    self.now = now
  }

  /// Where the capture is.
  ///
  /// - Throws: `captureNotFound` when there is none, or it is no longer kept.
  public func capture(_ uniqueID: String) throws(CaptureError) -> StoredCapture {
    let now = now()
    let capture = ledger.withLock { ledger in
      ledger.removeExpired(at: now)
      return ledger.capture(uniqueID)
    }
    guard let capture else {
      throw CaptureError(
        .captureNotFound, "There is no capture \(uniqueID), or it is no longer kept.",
        metadata: ["unique_id": uniqueID], field: "name")
    }
    return capture
  }

  /// The captures that are under way or kept, in the order they were asked for.
  public func all() -> [StoredCapture] {
    let now = now()
    let captures = ledger.withLock { ledger in
      ledger.removeExpired(at: now)
      return ledger.all
    }
    return captures.sorted { $0.number < $1.number }
  }

  /// The finished photo, to be read from ``Photo/picture``; it stays valid when the store lets go of it.
  ///
  /// - Throws: `captureNotFound`; `captureNotFinished` while it is under way; the capture's own error if it failed.
  ///
  /// - Parameter index: which photo of a bracket.
  /// - Throws: also `invalidArgument` when it has fewer.
  public func photo(_ uniqueID: String, index: Int = 0) throws(CaptureError) -> Photo {
    switch try capture(uniqueID).state {
    case .finished(let photos):
      guard photos.indices.contains(index) else {
        throw CaptureError(
          .invalidArgument, "Capture \(uniqueID) has \(photos.count) photos; \(index) counts from 0.",
          metadata: ["unique_id": uniqueID, "count": "\(photos.count)", "bracket_index": "\(index)"],
          field: "bracket_index")
      }
      return photos[index]
    case .failed(let error): throw error
    case .inProgress:
      throw CaptureError(
        .captureNotFinished, "Capture \(uniqueID) is still under way.", metadata: ["unique_id": uniqueID], field: "name"
      )
    }
  }

  /// Lets go of photos whose time is over every ten seconds, until cancelled, so that an idle daemon keeps no memory.
  /// Without it they go with the next call.
  public func run() async throws {
    while true {
      try await Task.sleep(for: .seconds(10))
      removeExpired()
    }
  }

  /// Lets go of photos whose time is over, and gives their memory back to the system, unless some is to be kept ready.
  func removeExpired() {
    let now = now()
    let removed = ledger.withLock { $0.removeExpired(at: now) }
    if removed, holds.load(ordering: .relaxed) == 0 { pool.reclaim() }
  }

  /// Keeps free memory for photos to come while the result lives.
  func holdMemory() -> MemoryHold { MemoryHold(self) }

  fileprivate func changeHolds(by count: Int) { holds.add(count, ordering: .relaxed) }

  /// - Parameter requestTime: when its request arrived.
  func begin(_ uniqueID: String, of sessionID: String, at requestTime: WallInstant) throws(CaptureError) {
    try ledger.withLock { ledger throws(CaptureError) in try ledger.begin(uniqueID, of: sessionID, at: requestTime) }
  }

  func finish(_ uniqueID: String, _ result: Result<[Photo], CaptureError>) {
    let now = now()
    ledger.withLock { $0.finish(uniqueID, result, at: now) }
  }

  /// Whether the id cannot be used again.
  func isUsed(_ uniqueID: String) -> Bool { ledger.withLock { $0.isUsed(uniqueID) } }

  /// Lets go of the oldest finished capture before its time, to make room.
  ///
  /// - Returns: false when there is none.
  func removeOldest() -> Bool { ledger.withLock { $0.removeOldest() } }
}

/// See ``CaptureStore/holdMemory()``.
final class MemoryHold: Sendable {
  private let store: CaptureStore

  fileprivate init(_ store: CaptureStore) {
    self.store = store
    store.changeHolds(by: 1)
  }

  deinit { store.changeHolds(by: -1) }
}

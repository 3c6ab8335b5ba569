public import CaptureCore
internal import Imaging
internal import Locking
internal import Synchronization
public import SystemClocks

/// The captures of all sessions of the daemon, by their unique ids. Thread-safe.
///
/// The store keeps finished captures for 60 seconds, but at most 64 captures and 256 MiB of photos; when these limits
/// are exceeded, the oldest captures go first. No other capture can use an id while the store keeps its capture, nor
/// while fewer than 10,000 captures have begun since.
public final class CaptureStore: PhotoDestination {
  /// The number of finished captures that the store keeps at most.
  package static let maxKept = StoredCaptures.Limits().captures
  /// The memory into which photos are encoded: as much as the store may keep, and 64 MiB more. Encoders work in these
  /// 64 MiB, and readers may hold as much of photos that the store no longer keeps.
  public let pool: FramePool
  /// A random name that distinguishes the captures of this run of the daemon from those of other runs, whose numbers
  /// begin at 1 too.
  public let name = RandomToken.make(words: 1)
  private let stored: Locked<StoredCaptures>
  private let now: @Sendable () -> MonotonicInstant
  private let holds = Atomic<Int>(0)

  /// Creates an empty store.
  public convenience init() { self.init(limits: StoredCaptures.Limits(), now: { .now() }) }

  /// Creates an empty store with other limits and another clock, for tests.
  init(limits: StoredCaptures.Limits, now: @escaping @Sendable () -> MonotonicInstant) {
    pool = FramePool(budget: limits.bytes + 64 << 20, kept: limits.bytes)
    stored = Locked(StoredCaptures(limits: limits))
    self.now = now
  }

  /// The capture with this id, in its present state.
  ///
  /// - Throws: `captureNotFound` when no capture has the id, or when the store no longer keeps the capture.
  public func capture(_ uniqueID: String) throws(CaptureError) -> StoredCapture {
    let now = now()
    let capture = stored.withLock { stored in
      stored.removeExpired(at: now)
      return stored.capture(uniqueID)
    }
    guard let capture else {
      throw CaptureError(
        .captureNotFound, "There is no capture \(uniqueID), or the daemon no longer keeps it.",
        metadata: ["unique_id": uniqueID], field: "name")
    }
    return capture
  }

  /// The captures that are in progress or kept, in the order of their requests.
  public func all() -> [StoredCapture] {
    let now = now()
    let captures = stored.withLock { stored in
      stored.removeExpired(at: now)
      return stored.all
    }
    return captures.sorted { $0.number < $1.number }
  }

  /// A finished photo. Its ``Photo/picture`` stays valid after the store has removed the capture.
  ///
  /// - Parameters:
  ///   - uniqueID: the id of the capture.
  ///   - index: the place of the photo in its bracket, from 0.
  /// - Throws: `captureNotFound` as ``capture(_:)``; `captureNotFinished` while the capture is in progress;
  ///   `invalidArgument` when the capture has no photo with this index; the capture's own error when it failed.
  public func photo(_ uniqueID: String, index: Int = 0) throws(CaptureError) -> Photo {
    switch try capture(uniqueID).state {
    case .finished(let photos):
      guard photos.indices.contains(index) else {
        throw CaptureError(
          .invalidArgument,
          "bracket_index is \(index) and counts from 0; capture \(uniqueID) has \(photos.count) photos.",
          metadata: ["unique_id": uniqueID, "count": "\(photos.count)", "bracket_index": "\(index)"],
          field: "bracket_index")
      }
      return photos[index]
    case .failed(let error): throw error
    case .inProgress:
      throw CaptureError(
        .captureNotFinished, "Capture \(uniqueID) is still in progress.", metadata: ["unique_id": uniqueID],
        field: "name")
    }
  }

  /// Removes expired captures every ten seconds, so that an idle daemon keeps no memory for them. Without this task,
  /// they stay until the next call of ``capture(_:)`` or ``all()``.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, which is the only way in which this function ends.
  public func run() async throws {
    while true {
      try await Task.sleep(for: .seconds(10))
      removeExpired()
    }
  }

  /// Removes expired captures. Gives their memory back to the system, unless a ``MemoryHold`` keeps memory ready.
  func removeExpired() {
    let now = now()
    let removed = stored.withLock { $0.removeExpired(at: now) }
    if removed, holds.load(ordering: .relaxed) == 0 { pool.reclaim() }
  }

  /// Keeps the memory of removed photos ready for new photos for as long as the result lives.
  public func holdMemory() -> MemoryHold {
    holds.add(1, ordering: .relaxed)
    return MemoryHold { [self] in holds.subtract(1, ordering: .relaxed) }
  }

  /// Begins a capture of a session.
  ///
  /// - Parameter requestTime: when the request for the capture arrived.
  /// - Throws: `settingsIDReused` when another capture has or had the id.
  public func begin(_ uniqueID: String, of sessionID: String, at requestTime: WallInstant) throws(CaptureError) {
    try stored.withLock { stored throws(CaptureError) in try stored.begin(uniqueID, of: sessionID, at: requestTime) }
  }

  /// Ends a capture in progress, with its photos or with the reason why there are none.
  public func finish(_ uniqueID: String, _ result: Result<[Photo], CaptureError>) {
    let now = now()
    stored.withLock { $0.finish(uniqueID, result, at: now) }
  }

  /// Whether a capture has or had the id, so that no other capture can use it.
  public func isUsed(_ uniqueID: String) -> Bool { stored.withLock { $0.isUsed(uniqueID) } }

  /// Removes the oldest finished capture before it expires, to make room for a new photo.
  ///
  /// - Returns: false when there is none.
  public func makeRoom() -> Bool { stored.withLock { $0.removeOldest() } }
}

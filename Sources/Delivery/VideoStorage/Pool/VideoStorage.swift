public import CaptureCore
public import Locking
public import Logging
internal import SystemFiles

/// Storage whose writes do not stall, because everything was allocated and written before: a number of units in a
/// folder, which one capture at a time fills. There is one for the daemon, and all sessions share it. Thread-safe.
///
/// What touches the disk runs on one thread, but for the writes of a capture, which its own thread does.
public final class VideoStorage: Sendable {
  /// The bytes of a unit. The capacity is a multiple of it.
  public static let unitSize = 64 << 20
  /// The largest capacity, which is 16,384 units.
  public static let maximumCapacity: Int64 = 1 << 40

  private let thread: DiskThread
  private let status: PoolStatus
  private let keeper: PoolKeeper
  private let moves: CaptureMoves
  private let logger: Logger

  /// Begins to open the storage, and repairs it after a crash. Calls wait until it is open.
  ///
  /// - Parameters:
  ///   - path: the path of the folder, which is made with the first capacity.
  ///   - capacity: the capacity that the operator's configuration wants; nil leaves it as it was.
  ///   - unitSize: the bytes of a unit.
  public convenience init(
    folder path: String, capacity: Int64? = nil, unitSize: Int = VideoStorage.unitSize, logger: Logger
  ) {
    self.init(
      folder: path, capacity: capacity, unitSize: unitSize, logger: logger,
      sleep: { try? await Task.sleep(nanoseconds: $0) })
  }

  /// - Parameter sleep: waits before a movie is moved once more.
  init(
    folder path: String, capacity: Int64?, unitSize: Int, logger: Logger,
    sleep: @escaping @Sendable (_ nanoseconds: UInt64) async -> Void
  ) {
    self.logger = logger
    thread = DiskThread(name: "video-storage")
    status = PoolStatus(unitSize: unitSize)
    keeper = PoolKeeper(of: path, unitSize: unitSize, thread: thread, status: status, logger: logger)
    moves = CaptureMoves(keeper, thread: thread, status: status, logger: logger, sleep: sleep)
    thread.start { [keeper, moves] failure in keeper.open(capacity, failure) { moves.takeOver($0, with: $1) } }
  }

  /// Waits until the storage is open, and lets another daemon have the folder. What is under way goes on with the next
  /// daemon. The caller calls no other method after it.
  public func close() async {
    status.withLock { $0.isClosed = true }
    try? await thread.perform { [status] () throws(CaptureError) in status.withLock { $0.folder = nil } }
  }

  /// Waits until the movie that an earlier daemon left in the storage has moved to its place, or cannot.
  ///
  /// - Returns: the place of the movie if it cannot move.
  @discardableResult
  public func waitForMoves() async -> String? {
    // The move is the next thing that the thread does after it has opened the storage.
    _ = await state
    try? await thread.perform { () throws(CaptureError) in }
    return status.withLock { $0.movie.left?.target }
  }

  // MARK: What there is

  /// The state now.
  public var state: VideoStorageState {
    get async {
      if !status.isOpen { try? await thread.perform { () throws(CaptureError) in } }
      return status.state
    }
  }

  /// The state now, and then each newer state. A slow reader gets the newest one.
  public func states() async -> NewestValues<VideoStorageState> {
    status.states(first: await state)
  }

  // MARK: What operators and clients ask for

  /// Begins to bring the storage to a capacity, and to fill it. The storage is busy meanwhile. A capacity of 0 also
  /// gives up a movie that cannot leave the storage.
  ///
  /// - Parameter bytes: the capacity, which is rounded up to whole units.
  /// - Returns: the state now, which is busy.
  /// - Throws: `invalidArgument` out of range; `videoStorageNotSupported`; `videoStorageBusy`; `videoStorageFull` when
  ///   the disk has less room; `processingFailed` when the folder cannot be used.
  public func setCapacity(_ bytes: Int64) async throws(CaptureError) -> VideoStorageState {
    guard (0...Self.maximumCapacity).contains(bytes) else {
      throw CaptureError(
        .invalidArgument, "initial_capacity is \(bytes); it must be from 0 to \(Self.maximumCapacity).",
        metadata: ["value": "\(bytes)", "minimum": "0", "maximum": "\(Self.maximumCapacity)"], field: "initial_capacity"
      )
    }
    let units = keeper.units(for: bytes)
    if units == 0, status.withLock(\.movie.isLeft) {
      // Otherwise the capacity of the configuration would follow the movie.
      status.withLock { $0.wantedUnits = nil }
      try await thread.perform { [moves] () throws(CaptureError) in try moves.giveUpLeftMovie() }
    }
    return try await begin(replacesConfigured: true) { [keeper] machine, folder throws(CaptureError) in
      try machine.checkIsIdle()
      try keeper.checkRoom(for: units, machine, folder)
      return try machine.setCapacity(units: units)
    }
  }

  /// Begins to replace what captures took. The result is smaller when the disk has less room.
  ///
  /// - Returns: the state now, which is busy if there is something to replace.
  /// - Throws: `videoStorageNotSupported`; `videoStorageNotConfigured`; `videoStorageBusy`.
  public func replenish() async throws(CaptureError) -> VideoStorageState {
    try await begin { machine, _ throws(CaptureError) in try machine.replenish() }
  }

  /// - Parameter replacesConfigured: whether a capacity of the configuration that still waits is given up with success.
  private func begin(
    replacesConfigured: Bool = false,
    _ body: @escaping @Sendable (inout VideoStorageStateMachine, PoolFolder) throws(CaptureError) -> PoolKeeper.Action?
  ) async throws(CaptureError) -> VideoStorageState {
    _ = await state
    try status.check()
    return try await thread.perform { [keeper, status] () throws(CaptureError) in
      try keeper.begin(body)
      if replacesConfigured { status.withLock { $0.wantedUnits = nil } }
      return status.state
    }
  }

  // MARK: Captures

  /// The most writes of a capture at once, and the bytes of each.
  static let (depth, bufferSize) = (32, 512 << 10)

  /// Begins a capture.
  ///
  /// - Parameter target: the absolute path that the movie gets when it is finished. Its folder exists, on any file
  ///   system, and has no file of that name. An empty draft in it shows that a file can be made there.
  /// - Throws: `videoStorageNotSupported`; `videoStorageNotConfigured`; `videoStorageBusy`, also while the movie of
  ///   another capture moves; `videoStorageFull` when captures took everything; `invalidArgument` for a path that is
  ///   too long; `processingFailed` when the disk fails, or the movie could not get its place.
  public func beginCapture(to target: String) async throws(CaptureError) -> VideoStorageCapture {
    guard target.hasPrefix("/"), target.utf8.count <= CaptureEntry.longestTarget else {
      throw CaptureError(
        .invalidArgument, "The path of a movie must be absolute, and at most \(CaptureEntry.longestTarget) bytes long.",
        field: "file")
    }
    _ = await state
    try status.check()
    return try await thread.perform { [self] () throws(CaptureError) in
      try status.change { machine throws(CaptureError) in try machine.beginCapture() }
      do throws(CaptureError) { return try capture(to: target, in: try keeper.openFolder()) } catch {
        try status.change { machine throws(CaptureError) in machine.endCapture(units: machine.units) }
        throw error
      }
    }
  }

  private func capture(to target: String, in folder: PoolFolder) throws(CaptureError) -> VideoStorageCapture {
    let place = try TargetPlace(target)
    try place.checkIsFree()
    let units = try folder.closeGaps()
    let entry = CaptureEntry(id: .random(in: .min ... .max), target: target, firstUnit: units.first ?? 0)
    let writer = BlockWriter(
      units: try UnitFiles(units, in: folder, thread: thread), queue: try makeQueue(), depth: Self.depth,
      bufferSize: min(Self.bufferSize, keeper.unitSize))
    // The ledger first, so that no crash leaves a draft that nobody knows.
    try folder.ledger.write(entry)
    do throws(CaptureError) {
      let action = "The file system of a movie cannot be looked at"
      let isElsewhere =
        try place.openDraft(entry.draftName).status(action).device != folder.folder.status(action).device
      status.withLock { $0.movie.begin(entry) }
      return VideoStorageCapture(moves, folder, writer, entry, movesToOtherFileSystem: isElsewhere)
    } catch {
      try? folder.ledger.write(nil)
      throw error
    }
  }

  private func makeQueue() throws(CaptureError) -> any BlockQueue {
    do throws(CaptureError) { return try RingQueue(depth: Self.depth) } catch {
      logger.debug(
        "A thread writes captures in place of io_uring.", metadata: ["error.message": "\(error.message)"])
      return try ThreadQueue(depth: Self.depth)
    }
  }
}

/// What those who know the files of movies must know of the storage.
extension VideoStorage {
  /// Whether the folder of the storage is there and was read, so that ``movieInside`` is sure. False before the first
  /// capacity.
  public var isReadable: Bool { status.withLock { $0.folder != nil && $0.unreadable == nil } }

  /// The absolute path of the movie that is in the storage, also while it moves. A file there is not the movie. Nil
  /// for none.
  public var movieInside: String? { status.withLock { $0.movie.capture?.target } }

  /// Gives up a movie whose capture has ended, and which has not moved to its place. Waits while it moves. Does nothing
  /// when the storage has no such movie then.
  ///
  /// - Parameter target: the absolute path of the movie.
  /// - Throws: `processingFailed` when the disk fails.
  public func giveUp(_ target: String) async throws(CaptureError) {
    try await thread.perform { [self] () throws(CaptureError) in
      if movieInside == target { try moves.giveUpLeftMovie() }
    }
  }

  /// Calls `body` with each movie that the storage had to move by itself and no longer has: with the newest of them
  /// before this call, and with each later one before the state of the storage tells it.
  ///
  /// - Parameter body: called on a thread of the storage, for which it must not wait.
  public func whenLeftMovieIsGone(_ body: @escaping @Sendable (LeftMovie) -> Void) {
    let newest = status.withLock { $0.movie.tell(body) }
    if let newest { body(newest) }
  }

  /// Breaks off the move of a movie, because the daemon ends. No movie moves after this; the next daemon moves the
  /// rest. Does not wait.
  public func breakOffMoves() { status.withLock { $0.movie.breakOff() } }
}

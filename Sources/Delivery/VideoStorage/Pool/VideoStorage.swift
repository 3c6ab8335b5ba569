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

  struct Shared {
    var machine: VideoStorageStateMachine
    /// Whether the folder was looked at.
    var isOpen = false
    var unsupportedReason: String?
    /// Why the storage cannot be read.
    var unreadable: CaptureError?
    /// Nil until there is a capacity.
    var folder: PoolFolder?
    var isClosed = false
    /// The capture whose movie is in the storage, also while it moves.
    var capture: CaptureEntry?
    /// Whether the storage moves that movie by itself, because its capture ended without that.
    var isLeft = false
    /// The units that the configuration wants, while a movie that an earlier daemon left has yet to move.
    var wantedUnits: Int?
    /// Whether the daemon ends, so that no movie moves on.
    var isEnding = false
    /// The newest movie that the storage moved by itself, or that was given up.
    var newestGone: LeftMovie?
    var whenGone: (@Sendable (LeftMovie) -> Void)?
  }

  let path: String
  let unitSize: Int
  let thread = DiskThread(name: "video-storage")
  let shared: Locked<Shared>
  let changed = Broadcast<Void>(depth: 1)
  let logger: Logger
  /// Waits before a movie is moved once more.
  let sleep: @Sendable (_ nanoseconds: UInt64) async -> Void

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
    self.path = path
    self.sleep = sleep
    self.unitSize = unitSize
    self.logger = logger
    shared = Locked(Shared(machine: VideoStorageStateMachine(unitSize: unitSize, capacity: 0, units: 0)))
    thread.start { [self] failure in open(capacity, failure) }
  }

  /// Waits until the storage is open, and lets another daemon have the folder. What is under way goes on with the next
  /// daemon. The caller calls no other method after it.
  public func close() async {
    shared.withLock { $0.isClosed = true }
    try? await thread.perform { [self] () throws(CaptureError) in shared.withLock { $0.folder = nil } }
  }

  /// Waits until the movie that an earlier daemon left in the storage has moved to its place, or cannot.
  ///
  /// - Returns: the place of the movie if it cannot move.
  @discardableResult
  public func waitForMoves() async -> String? {
    // The move is the next thing that the thread does after it has opened the storage.
    _ = await state
    try? await thread.perform { () throws(CaptureError) in }
    return shared.withLock { $0.isLeft ? $0.capture?.target : nil }
  }

  // MARK: What there is

  /// The state now.
  public var state: VideoStorageState {
    get async {
      if !shared.withLock(\.isOpen) { try? await thread.perform { () throws(CaptureError) in } }
      return shared.withLock(\.state)
    }
  }

  /// The state now, and then each newer state. A slow reader gets the newest one.
  public func states() async -> NewestValues<VideoStorageState> {
    let first = await state
    return NewestValues(of: changed.watch()) { [self] in shared.withLock { $0.isOpen ? $0.state : first } }
  }

  /// Changes the machine, and tells the watchers. Returns what `body` returns.
  @discardableResult
  func change<R>(_ body: (inout VideoStorageStateMachine) throws(CaptureError) -> R) throws(CaptureError) -> R {
    try update { shared throws(CaptureError) in try body(&shared.machine) }
  }

  /// Changes what is known, and tells the watchers. Returns what `body` returns.
  @discardableResult
  func update<R>(_ body: (inout Shared) throws(CaptureError) -> R) throws(CaptureError) -> R {
    try shared.withLock { shared throws(CaptureError) in
      let before = shared.state
      let result = try body(&shared)
      let state = shared.state
      if state != before { changed.tell() }
      return result
    }
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
    let units = units(for: bytes)
    if units == 0, shared.withLock(\.isLeft) {
      // Otherwise the capacity of the configuration would follow the movie.
      shared.withLock { $0.wantedUnits = nil }
      try await thread.perform { [self] () throws(CaptureError) in try giveUpLeftMovie() }
    }
    return try await begin(replacesConfigured: true) { [self] machine, folder throws(CaptureError) in
      try machine.checkIsIdle()
      try checkRoom(for: units, machine, folder)
      return try machine.setCapacity(units: units)
    }
  }

  /// Checks that the disk has room for a capacity.
  ///
  /// - Throws: `videoStorageFull`.
  func checkRoom(
    for units: Int, _ machine: VideoStorageStateMachine, _ folder: PoolFolder
  ) throws(CaptureError) {
    let needed = UInt64(max(0, units - machine.units)) * UInt64(folder.unitSize)
    let free = folder.freeSpace
    if needed > 0, !folder.share(of: needed).fits(free) {
      throw .full("The video storage cannot have \(needed) bytes more", free)
    }
  }

  /// Begins to replace what captures took. The result is smaller when the disk has less room.
  ///
  /// - Returns: the state now, which is busy if there is something to replace.
  /// - Throws: `videoStorageNotSupported`; `videoStorageNotConfigured`; `videoStorageBusy`.
  public func replenish() async throws(CaptureError) -> VideoStorageState {
    try await begin { machine, _ throws(CaptureError) in try machine.replenish() }
  }

  /// How many units hold so many bytes.
  func units(for bytes: Int64) -> Int { Int((bytes + Int64(unitSize) - 1) / Int64(unitSize)) }

  /// - Parameter replacesConfigured: whether a capacity of the configuration that still waits is given up with success.
  private func begin(
    replacesConfigured: Bool = false,
    _ body: @escaping @Sendable (inout VideoStorageStateMachine, PoolFolder) throws(CaptureError) -> Action?
  ) async throws(CaptureError) -> VideoStorageState {
    _ = await state
    try shared.withLock { shared throws(CaptureError) in try shared.check() }
    return try await thread.perform { [self] () throws(CaptureError) in
      let folder = try openFolder()
      let action = try change { machine throws(CaptureError) in try body(&machine, folder) }
      if replacesConfigured { shared.withLock { $0.wantedUnits = nil } }
      defer { if let action { perform(action) } }
      return shared.withLock(\.state)
    }
  }
}

extension VideoStorage.Shared {
  var state: VideoStorageState {
    var state = VideoStorageState()
    state.unsupportedReason = unsupportedReason
    state.failure = unreadable ?? machine.failure
    state.initialCapacity = unreadable == nil ? machine.initialCapacity : -1
    state.remainingCapacity = unreadable == nil ? machine.remainingCapacity : -1
    state.busyReason = machine.busyReason
    state.bytesWritten = machine.bytesWritten
    return state
  }

  /// - Throws: `videoStorageNotSupported`, the error that makes the storage unreadable, or `videoStorageBusy`.
  func check() throws(CaptureError) {
    if let unsupportedReason { throw CaptureError(.videoStorageNotSupported, unsupportedReason) }
    if let unreadable { throw unreadable }
    try machine.checkIsIdle()
  }
}

internal import CaptureCore
internal import Locking

/// What is known of the video storage, and who is told when its state changes. Thread-safe.
final class PoolStatus: Sendable {
  /// What is known at one time.
  struct Facts {
    var machine: VideoStorageStateMachine
    /// Whether the folder was looked at.
    fileprivate(set) var isOpen = false
    fileprivate var unsupportedReason: String?
    /// Why the storage cannot be read.
    fileprivate(set) var unreadable: CaptureError?
    /// Nil until there is a capacity.
    var folder: PoolFolder?
    var isClosed = false
    /// The units that the configuration wants, while a movie that an earlier daemon left has yet to move.
    var wantedUnits: Int?
    /// The movie that is in the storage.
    var movie = MovieInside()
  }

  private let facts: Locked<Facts>
  private let changed = Broadcast<Void>(depth: 1)

  init(unitSize: Int) {
    facts = Locked(Facts(machine: VideoStorageStateMachine(unitSize: unitSize, capacity: 0, units: 0)))
  }

  /// The state now.
  var state: VideoStorageState { facts.withLock(\.state) }

  /// Whether the folder was looked at.
  var isOpen: Bool { facts.withLock(\.isOpen) }

  /// The state from now on; `first` until the storage is open. A slow reader gets the newest one.
  func states(first: VideoStorageState) -> NewestValues<VideoStorageState> {
    NewestValues(of: changed.watch()) { [self] in facts.withLock { $0.isOpen ? $0.state : first } }
  }

  /// Notes what came of looking at the folder, and tells the watchers.
  func open(unsupportedReason: String?, unreadable: CaptureError?) {
    facts.withLock { ($0.isOpen, $0.unsupportedReason, $0.unreadable) = (true, unsupportedReason, unreadable) }
    changed.tell()
  }

  /// Reads what is known, or changes what is not in the state.
  func withLock<R: Sendable>(_ body: (inout Facts) -> R) -> R { facts.withLock { body(&$0) } }

  /// Changes the machine, and tells the watchers. Returns what `body` returns.
  @discardableResult
  func change<R>(_ body: (inout VideoStorageStateMachine) throws(CaptureError) -> R) throws(CaptureError) -> R {
    try update { facts throws(CaptureError) in try body(&facts.machine) }
  }

  /// Changes what is known, and tells the watchers. Returns what `body` returns.
  @discardableResult
  func update<R>(_ body: (inout Facts) throws(CaptureError) -> R) throws(CaptureError) -> R {
    try facts.withLock { facts throws(CaptureError) in
      let before = facts.state
      let result = try body(&facts)
      if facts.state != before { changed.tell() }
      return result
    }
  }

  /// Shows an error in the state.
  func note(_ error: CaptureError) {
    try? change { machine throws(CaptureError) in machine.note(error) }
  }

  /// - Throws: `videoStorageNotSupported`, the error that makes the storage unreadable, or `videoStorageBusy`.
  func check() throws(CaptureError) { try facts.withLock { facts throws(CaptureError) in try facts.check() } }
}

extension PoolStatus.Facts {
  fileprivate var state: VideoStorageState {
    var state = VideoStorageState()
    state.unsupportedReason = unsupportedReason
    state.failure = unreadable ?? machine.failure
    state.initialCapacity = unreadable == nil ? machine.initialCapacity : -1
    state.remainingCapacity = unreadable == nil ? machine.remainingCapacity : -1
    state.busyReason = machine.busyReason
    state.bytesWritten = machine.bytesWritten
    return state
  }

  fileprivate func check() throws(CaptureError) {
    if let unsupportedReason { throw CaptureError(.videoStorageNotSupported, unsupportedReason) }
    if let unreadable { throw unreadable }
    try machine.checkIsIdle()
  }
}

/// The movie that is in the video storage, also while it moves. A value.
struct MovieInside {
  /// The capture of the movie; nil for none.
  private(set) var capture: CaptureEntry?
  /// Whether the storage moves the movie by itself, because its capture ended without that.
  private(set) var isLeft = false
  /// Whether the daemon ends, so that no movie moves on.
  private(set) var isEnding = false
  /// The newest movie that the storage moved by itself, or that was given up.
  private var newestGone: LeftMovie?
  private var whenGone: (@Sendable (LeftMovie) -> Void)?

  /// The movie that the storage moves by itself; nil for none.
  var left: CaptureEntry? { isLeft ? capture : nil }

  /// Notes that a capture writes its movie to the storage.
  mutating func begin(_ entry: CaptureEntry) { (capture, isLeft) = (entry, false) }

  /// Notes that the storage moves the movie of this capture by itself.
  mutating func takeOver(_ entry: CaptureEntry) { (capture, isLeft) = (entry, true) }

  /// Notes that the movie is not in the storage any more.
  mutating func end() { (capture, isLeft) = (nil, false) }

  /// Lets no movie move on.
  mutating func breakOff() { isEnding = true }

  /// Returns whom to tell that the movie is gone; nil unless the storage moved it by itself.
  mutating func whoLearns(of movie: LeftMovie) -> (@Sendable (LeftMovie) -> Void)? {
    guard isLeft else { return nil }
    newestGone = movie
    return whenGone
  }

  /// Sets whom to tell, and returns the newest movie that is gone already.
  mutating func tell(_ body: @escaping @Sendable (LeftMovie) -> Void) -> LeftMovie? {
    whenGone = body
    return newestGone
  }
}

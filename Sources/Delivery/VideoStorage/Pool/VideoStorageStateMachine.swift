public import CaptureCore

/// What the video storage does, and how much of it there is. The storage consists of units of one size, and does one
/// thing at a time. A plain value: it returns what to do next, and is told what came of it.
struct VideoStorageStateMachine: Hashable, Sendable {
  /// What the storage does with its folder. The result of an action is the next event.
  enum Action: Hashable, Sendable {
    /// Make one unit: ``unitMade()`` or ``failed(_:)``.
    case makeUnit
    /// Remove one unit: ``unitRemoved()`` or ``failed(_:)``.
    case removeUnit
    /// Remember that the operator wants so many units: ``capacitySaved()`` or ``failed(_:)``.
    case saveCapacity(units: Int)
  }

  private enum Activity: Hashable {
    /// Brings the storage to `units`. `before` is how many there were.
    case adjusting(units: Int, before: Int)
    case replenishing(before: Int)
    /// Removes what an activity made that failed, until `units` are left.
    case undoing(units: Int, VideoStorageState.BusyReason)
    /// `written` counts whole blocks.
    case capturing(written: UInt64)
  }

  let unitSize: Int
  /// How many units the operator wants.
  private(set) var capacity: Int
  /// How many units there are.
  private(set) var units: Int
  private(set) var failure: CaptureError?
  private(set) var bytesWritten: UInt64 = 0
  private var activity: Activity?

  /// The state after a start, which has repaired the folder.
  init(unitSize: Int, capacity: Int, units: Int) {
    self.unitSize = unitSize
    self.capacity = capacity
    self.units = units
  }

  var busyReason: VideoStorageState.BusyReason? {
    switch activity {
    case .adjusting: .adjustingCapacity
    case .replenishing: .replenishing
    case .undoing(_, let reason): reason
    case .capturing: .capturing
    case nil: nil
    }
  }

  var initialCapacity: Int64 { Int64(capacity) * Int64(unitSize) }

  var remainingCapacity: Int64 {
    let whole = Int64(units) * Int64(unitSize)
    if case .capturing(let written) = activity { return max(0, whole - Int64(written)) }
    return whole
  }

  /// - Throws: `videoStorageBusy` when the storage does something.
  func checkIsIdle() throws(CaptureError) {
    guard let busyReason else { return }
    let name = busyReason.name
    let cause = failure.map { " Its newest error: \($0.message)" } ?? ""
    throw CaptureError(
      .videoStorageBusy,
      "The video storage is busy (\(name)); wait until WatchVideoStorage tells that it is not.\(cause)",
      metadata: ["busy_reasons": name])
  }
}

// MARK: What clients ask for

extension VideoStorageStateMachine {
  /// Begins to bring the storage to so many units.
  ///
  /// - Throws: `videoStorageBusy`.
  mutating func setCapacity(units wanted: Int) throws(CaptureError) -> Action? {
    try checkIsIdle()
    (activity, failure) = (.adjusting(units: wanted, before: units), nil)
    // The operator's wish is saved even when nothing else is to do, so the storage is always busy for a while.
    return units < wanted ? .makeUnit : .saveCapacity(units: wanted)
  }

  /// Begins to replace what captures took.
  ///
  /// - Throws: `videoStorageBusy`; `videoStorageNotConfigured` without a capacity.
  mutating func replenish() throws(CaptureError) -> Action? {
    try checkIsIdle()
    guard capacity > 0 else { throw .noVideoStorageCapacity }
    (activity, failure) = (.replenishing(before: units), nil)
    return next()
  }

  /// Begins a capture.
  ///
  /// - Throws: `videoStorageBusy`; `videoStorageNotConfigured` without a capacity; `videoStorageFull` when captures
  ///   took everything.
  mutating func beginCapture() throws(CaptureError) {
    try checkIsIdle()
    guard capacity > 0 else { throw .noVideoStorageCapacity }
    guard units > 0 else {
      throw CaptureError(
        .videoStorageFull, "Captures have taken all video storage; replenish it with ReplenishVideoStorage.")
    }
    (activity, failure) = (.capturing(written: 0), nil)
  }

  /// Takes up a capture that a daemon left which ended too early, and whose movie has yet to move to its place.
  mutating func resumeCapture(written: UInt64) { activity = .capturing(written: written) }

  /// Takes how far the capture has written.
  mutating func wrote(upTo end: UInt64) {
    guard case .capturing(let written) = activity, end > written else { return }
    bytesWritten += end - written
    activity = .capturing(written: end)
  }

  /// Ends the capture, whose movie has left the storage with its units.
  mutating func endCapture(units left: Int) { (activity, units, failure) = (nil, left, nil) }

  /// Takes an error after which all else is as before: the movie of a capture could not move, and stays in the storage,
  /// which stays busy; or a capacity of the configuration was refused.
  mutating func note(_ error: CaptureError) { failure = error }
}

// MARK: What came of an action

extension VideoStorageStateMachine {
  mutating func unitMade() -> Action? {
    units += 1
    return next()
  }

  mutating func unitRemoved() -> Action? {
    units -= 1
    return next()
  }

  mutating func capacitySaved() -> Action? {
    if case .adjusting(let wanted, _) = activity { capacity = wanted }
    return next()
  }

  /// Takes the error of an action. A storage that should become larger returns to what it was, and one that should
  /// become smaller keeps the units that could not be removed. A full disk only makes the result of replenishing
  /// smaller.
  mutating func failed(_ error: CaptureError) -> Action? {
    switch activity {
    case .replenishing where error.reason == .videoStorageFull:
      activity = nil
      return nil
    case .adjusting(_, let before) where units > before: activity = .undoing(units: before, .adjustingCapacity)
    case .replenishing(let before) where units > before: activity = .undoing(units: before, .replenishing)
    default: activity = nil
    }
    failure = error
    return next()
  }

  private mutating func next() -> Action? {
    switch activity {
    case .adjusting(let wanted, _) where units < wanted: return .makeUnit
    case .adjusting(let wanted, _) where capacity != wanted: return .saveCapacity(units: wanted)
    case .adjusting(let wanted, _) where units > wanted: return .removeUnit
    case .replenishing where units < capacity: return .makeUnit
    case .undoing(let wanted, _) where units > wanted: return .removeUnit
    case .capturing: return nil
    default:
      activity = nil
      return nil
    }
  }
}

extension VideoStorageState.BusyReason {
  /// The name in the contract.
  var name: String {
    switch self {
    case .adjustingCapacity: "ADJUSTING_CAPACITY"
    case .replenishing: "REPLENISHING"
    case .capturing: "CAPTURING"
    }
  }
}

extension CaptureError {
  static let noVideoStorageCapacity = CaptureError(
    .videoStorageNotConfigured, "The video storage has no capacity yet; OpenSettings tells how an operator sets it.")
}

/// What clients may know of the video storage at one moment.
public struct VideoStorageState: Hashable, Sendable {
  /// What the storage is busy with. No capture can begin meanwhile.
  public enum BusyReason: Hashable, Sendable, CaseIterable {
    /// An operator changes the capacity.
    case adjustingCapacity
    /// Space that captures took is replaced.
    case replenishing
    /// A capture writes, or its movie moves to its place.
    case capturing
  }

  /// Why the folder cannot hold a storage whose writes do not stall; nil when it can.
  public var unsupportedReason: String?
  /// The bytes that the operator wants; 0 when nobody has set a capacity, and -1 when the storage cannot be read.
  public var initialCapacity: Int64 = 0
  /// The bytes that captures can write now; 0 when nobody has set a capacity, and -1 when the storage cannot be read.
  public var remainingCapacity: Int64 = 0
  /// What the storage is busy with; nil when a capture can begin.
  public var busyReason: BusyReason?
  /// Why the newest change of the storage failed, or why the storage cannot be read. Nil when it did what it should.
  public var failure: CaptureError?
  /// The bytes that captures have written since the daemon started.
  public var bytesWritten: UInt64 = 0
}

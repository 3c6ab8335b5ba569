internal import CaptureCore
internal import Logging
internal import SystemFiles

/// Keeps the folder of the video storage at its capacity: repairs it at the start, and makes and removes units. Its
/// methods run on the thread of the storage.
final class PoolKeeper: Sendable {
  typealias Action = VideoStorageStateMachine.Action

  private let path: String
  let unitSize: Int
  private let thread: DiskThread
  private let status: PoolStatus
  private let logger: Logger

  init(of path: String, unitSize: Int, thread: DiskThread, status: PoolStatus, logger: Logger) {
    (self.path, self.unitSize, self.thread) = (path, unitSize, thread)
    (self.status, self.logger) = (status, logger)
  }

  /// How many units hold so many bytes.
  func units(for bytes: Int64) -> Int { Int((bytes + Int64(unitSize) - 1) / Int64(unitSize)) }

  /// Looks at the folder, and brings it into order.
  ///
  /// - Parameters:
  ///   - configured: the capacity of the configuration.
  ///   - failure: why there is no thread; nil on the thread.
  ///   - takeOver: takes up the capture that a daemon left, with the units that are left.
  func open(_ configured: Int64?, _ failure: CaptureError?, takeOver: (CaptureEntry, [UInt64]) -> Void) {
    let exists = PoolFolder.exists(in: path)
    let refusal = PoolSupport.refusal(of: path, tries: !exists)
    var problem = failure
    do throws(CaptureError) {
      if refusal == nil, problem == nil, exists { try repair(try openFolder(), takeOver) }
    } catch {
      problem = error
    }
    if let problem {
      logger.warning("The video storage cannot be used.", metadata: ["error.message": "\(problem.message)"])
    }
    if let configured, problem == nil {
      if let refusal {
        logger.warning("There is no video storage.", metadata: ["error.message": "\(refusal)"])
      } else if status.withLock({ $0.machine.busyReason == nil }) {
        adjust(to: units(for: configured))
      } else {
        // The movie that a daemon left moves first.
        let units = units(for: configured)
        status.withLock { $0.wantedUnits = units }
      }
    }
    status.open(unsupportedReason: refusal, unreadable: problem)
  }

  /// The folder, which is made if it does not exist.
  func openFolder() throws(CaptureError) -> PoolFolder {
    if let folder = status.withLock(\.folder) { return folder }
    let folder = try PoolFolder(in: path, unitSize: unitSize)
    status.withLock { $0.folder = folder }
    return folder
  }

  /// Removes what belongs to nothing, and takes up the capture that a daemon left.
  private func repair(
    _ folder: PoolFolder, _ takeOver: (CaptureEntry, [UInt64]) -> Void
  ) throws(CaptureError) {
    let capacity = units(for: try folder.capacity())
    var units = try folder.units()
    let entry = folder.ledger.found
    if entry == nil {
      let damaged = units.filter { !folder.isWhole($0) }
      units.removeAll(where: damaged.contains)
      // A capacity that was not reached is not changed, so what was made for it goes.
      let unwanted = damaged + units.dropFirst(capacity)
      for unit in unwanted { try folder.remove(unit) }
      units = Array(units.prefix(capacity))
      if !unwanted.isEmpty {
        logger.notice("The video storage was repaired.", metadata: ["storage.removed_units": "\(unwanted.count)"])
      }
    }
    let machine = VideoStorageStateMachine(unitSize: unitSize, capacity: capacity, units: units.count)
    status.withLock { $0.machine = machine }
    if let entry { takeOver(entry, units) }
  }

  /// Brings the storage to the capacity that the configuration wanted while a movie was in the way.
  func adjustLater() {
    let units = status.withLock { facts in
      defer { facts.wantedUnits = nil }
      return facts.wantedUnits
    }
    if let units { thread.enqueue { [self] in adjust(to: units) } }
  }

  /// Brings the storage to the capacity of the configuration. An error is logged, and in the state.
  private func adjust(to units: Int) {
    guard status.withLock({ $0.machine.capacity != units }) else { return }
    do throws(CaptureError) {
      try begin { machine, folder throws(CaptureError) in
        try machine.checkIsIdle()
        try checkRoom(for: units, machine, folder)
        return try machine.setCapacity(units: units)
      }
    } catch {
      // A storage that is busy shows why already.
      if error.reason != .videoStorageBusy { status.note(error) }
      logger.warning(
        "The capacity of the configuration cannot be set.", metadata: ["error.message": "\(error.message)"])
    }
  }

  /// Begins what `body` asks the machine for.
  func begin(
    _ body: (inout VideoStorageStateMachine, PoolFolder) throws(CaptureError) -> Action?
  ) throws(CaptureError) {
    let folder = try openFolder()
    let action = try status.change { machine throws(CaptureError) in try body(&machine, folder) }
    if let action { perform(action) }
  }

  /// Does what the machine wants, after all that the thread has to do already, and so on until nothing is left to do.
  /// Each step is a turn of its own, so that other calls need not wait for all of them.
  private func perform(_ action: Action) {
    thread.start { [self] failure in
      guard let folder = status.withLock({ $0.isClosed ? nil : $0.folder }) else { return }
      var next: Action?
      do throws(CaptureError) {
        if let failure { throw failure }
        try run(action, in: folder)
        next = try status.change { machine throws(CaptureError) in
          switch action {
          case .makeUnit: machine.unitMade()
          case .removeUnit: machine.unitRemoved()
          case .saveCapacity: machine.capacitySaved()
          }
        }
      } catch {
        logger.warning(
          "The video storage cannot take the next step to its capacity.",
          metadata: ["error.message": "\(error.message)"])
        next = try? status.change { machine throws(CaptureError) in machine.failed(error) }
      }
      if let next { perform(next) }
    }
  }

  private func run(_ action: Action, in folder: PoolFolder) throws(CaptureError) {
    switch action {
    case .makeUnit: try folder.make((try folder.units().last ?? 0) + 1)
    case .removeUnit: if let unit = try folder.units().last { try folder.remove(unit) }
    case .saveCapacity(let units): try folder.save(capacity: Int64(units) * Int64(unitSize))
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
}

internal import CaptureCore
internal import Logging
internal import Locking

/// What the thread of the storage does.
extension VideoStorage {
  typealias Action = VideoStorageStateMachine.Action

  /// Looks at the folder, and brings it into order.
  func open(_ configured: Int64?, _ failure: CaptureError?) {
    let exists = PoolFolder.exists(in: path)
    let refusal = PoolSupport.refusal(of: path, tries: !exists)
    var problem = failure
    do throws(CaptureError) {
      if refusal == nil, problem == nil, exists { try repair(try openFolder()) }
    } catch {
      problem = error
    }
    if let problem {
      logger.warning("The video storage cannot be used.", metadata: ["error.message": "\(problem.message)"])
    }
    if let configured, problem == nil {
      if let refusal {
        logger.warning("There is no video storage.", metadata: ["error.message": "\(refusal)"])
      } else if shared.withLock({ $0.machine.busyReason == nil }) {
        adjust(to: units(for: configured))
      } else {
        // The movie that a daemon left moves first.
        shared.withLock { $0.wantedUnits = units(for: configured) }
      }
    }
    shared.withLock { ($0.isOpen, $0.unsupportedReason, $0.unreadable) = (true, refusal, problem) }
    changed.tell()
  }

  /// The folder, which is made if it does not exist.
  func openFolder() throws(CaptureError) -> PoolFolder {
    if let folder = shared.withLock(\.folder) { return folder }
    let folder = try PoolFolder(in: path, unitSize: unitSize)
    shared.withLock { $0.folder = folder }
    return folder
  }

  /// Removes what belongs to nothing, and takes up the capture that a daemon left.
  private func repair(_ folder: PoolFolder) throws(CaptureError) {
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
    let count = units.count
    shared.withLock { $0.machine = VideoStorageStateMachine(unitSize: unitSize, capacity: capacity, units: count) }
    if let entry { takeOver(entry, with: units) }
  }

  /// Brings the storage to the capacity that the configuration wanted while a movie was in the way.
  func adjustLater() {
    let units = shared.withLock { shared in
      defer { shared.wantedUnits = nil }
      return shared.wantedUnits
    }
    if let units { thread.enqueue { [self] in adjust(to: units) } }
  }

  /// Brings the storage to the capacity of the configuration. An error is logged, and in the state.
  private func adjust(to units: Int) {
    guard shared.withLock({ $0.machine.capacity != units }) else { return }
    do throws(CaptureError) {
      let folder = try openFolder()
      let action = try change { machine throws(CaptureError) in
        try machine.checkIsIdle()
        try checkRoom(for: units, machine, folder)
        return try machine.setCapacity(units: units)
      }
      if let action { perform(action) }
    } catch {
      // A storage that is busy shows why already.
      if error.reason != .videoStorageBusy { note(error) }
      logger.warning(
        "The capacity of the configuration cannot be set.", metadata: ["error.message": "\(error.message)"])
    }
  }

  /// Does what the machine wants, after all that the thread has to do already, and so on until nothing is left to do.
  /// Each step is a turn of its own, so that other calls need not wait for all of them.
  func perform(_ action: Action) {
    thread.start { [self] failure in
      guard let folder = shared.withLock({ $0.isClosed ? nil : $0.folder }) else { return }
      var next: Action?
      do throws(CaptureError) {
        if let failure { throw failure }
        try run(action, in: folder)
        next = try change { machine throws(CaptureError) in
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
        next = try? change { machine throws(CaptureError) in machine.failed(error) }
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
}

import CaptureCore
import Testing

@testable import VideoStorage

/// What the video storage does next, and what it tells meanwhile.
struct VideoStorageStateMachineTests {
  private typealias Machine = VideoStorageStateMachine
  private static let full = CaptureError(.videoStorageFull, "The disk is full.")
  private static let broken = CaptureError(.processingFailed, "The disk fails.")

  private func machine(capacity: Int = 0, units: Int = 0) -> Machine {
    Machine(unitSize: 100, capacity: capacity, units: units)
  }

  @Test func aCapacityIsReachedUnitByUnitAndSavedAtTheEnd() throws {
    var machine = machine()
    #expect(machine.initialCapacity == 0)
    #expect(try machine.setCapacity(units: 2) == .makeUnit)
    #expect(machine.busyReason == .adjustingCapacity)
    #expect(machine.unitMade() == .makeUnit)
    #expect((machine.initialCapacity, machine.remainingCapacity) == (0, 100))
    #expect(machine.unitMade() == .saveCapacity(units: 2))
    #expect(machine.capacitySaved() == nil)
    #expect((machine.initialCapacity, machine.remainingCapacity, machine.busyReason) == (200, 200, nil))
  }

  /// A crash in between must not leave units that no capacity accounts for.
  @Test func aSmallerCapacityIsSavedBeforeUnitsGo() throws {
    var machine = machine(capacity: 3, units: 3)
    #expect(try machine.setCapacity(units: 1) == .saveCapacity(units: 1))
    #expect(machine.capacitySaved() == .removeUnit)
    #expect(machine.unitRemoved() == .removeUnit)
    #expect(machine.unitRemoved() == nil)
    #expect((machine.initialCapacity, machine.remainingCapacity, machine.busyReason) == (100, 100, nil))
  }

  @Test func theCapacityThatItHasMakesItBusyTooAndFillsIt() throws {
    var machine = machine(capacity: 2, units: 2)
    #expect(try machine.setCapacity(units: 2) == .saveCapacity(units: 2))
    #expect(machine.busyReason == .adjustingCapacity)
    #expect(machine.capacitySaved() == nil)
    #expect(machine.busyReason == nil)
    machine = self.machine(capacity: 2, units: 1)
    #expect(try machine.setCapacity(units: 2) == .makeUnit)
    #expect(machine.unitMade() == nil)
  }

  /// A client that cannot begin learns why the storage does not become idle.
  @Test func aStorageThatIsBusyTellsItsNewestError() throws {
    var machine = machine(capacity: 1, units: 1)
    try machine.beginCapture()
    let plain = #expect(throws: CaptureError.self) { try machine.checkIsIdle() }
    machine.note(Self.broken)
    let explained = #expect(throws: CaptureError.self) { try machine.checkIsIdle() }
    #expect(plain?.reason == .videoStorageBusy && explained?.reason == .videoStorageBusy)
    #expect(plain?.message.contains(Self.broken.message) == false)
    #expect(explained?.message.contains(Self.broken.message) == true)
  }

  @Test(arguments: [full, broken])
  func aCapacityThatCannotBeReachedChangesNothing(error: CaptureError) throws {
    var machine = machine(capacity: 1, units: 1)
    #expect(try machine.setCapacity(units: 3) == .makeUnit)
    #expect(machine.unitMade() == .makeUnit)
    #expect(machine.failed(error) == .removeUnit)
    #expect(machine.busyReason == .adjustingCapacity)
    #expect(machine.unitRemoved() == nil)
    #expect((machine.initialCapacity, machine.remainingCapacity, machine.busyReason) == (100, 100, nil))
    #expect(machine.failure == error)
    _ = try machine.setCapacity(units: 1)
    #expect(machine.failure == nil)
  }

  @Test func whatIsReplacedMayBeLessOnAFullDisk() throws {
    var machine = machine(capacity: 3, units: 1)
    #expect(try machine.replenish() == .makeUnit)
    #expect(machine.busyReason == .replenishing)
    #expect(machine.unitMade() == .makeUnit)
    #expect(machine.failed(Self.full) == nil)
    #expect((machine.initialCapacity, machine.remainingCapacity, machine.busyReason) == (300, 200, nil))
    #expect(machine.failure == nil)
  }

  @Test func replacingThatFailsChangesNothing() throws {
    var machine = machine(capacity: 3, units: 1)
    _ = try machine.replenish()
    _ = machine.unitMade()
    #expect(machine.failed(Self.broken) == .removeUnit)
    #expect(machine.busyReason == .replenishing)
    #expect(machine.unitRemoved() == nil)
    #expect((machine.remainingCapacity, machine.failure) == (100, Self.broken))
  }

  /// An undo that fails too must end.
  @Test func aDiskThatAlsoFailsToUndoEndsTheChange() throws {
    var machine = machine(capacity: 1, units: 1)
    _ = try machine.setCapacity(units: 3)
    _ = machine.unitMade()
    #expect(machine.failed(Self.broken) == .removeUnit)
    #expect(machine.failed(Self.broken) == nil)
    #expect((machine.remainingCapacity, machine.busyReason, machine.failure) == (200, nil, Self.broken))
  }

  @Test func nothingToReplaceIsNothingToDo() throws {
    var machine = machine(capacity: 2, units: 2)
    #expect(try machine.replenish() == nil)
    #expect(machine.busyReason == nil)
  }

  @Test func aCaptureTakesWhatItWritesAndThenWholeUnits() throws {
    var machine = machine(capacity: 3, units: 3)
    try machine.beginCapture()
    machine.wrote(upTo: 40)
    machine.wrote(upTo: 120)
    #expect((machine.remainingCapacity, machine.busyReason) == (180, .capturing))
    machine.endCapture(units: 1)
    #expect((machine.initialCapacity, machine.remainingCapacity, machine.busyReason) == (300, 100, nil))
    #expect(machine.bytesWritten == 120)
  }

  @Test func aMovieThatCannotMoveKeepsTheStorageBusy() throws {
    var machine = machine(capacity: 1, units: 1)
    try machine.beginCapture()
    machine.note(Self.broken)
    #expect((machine.busyReason, machine.failure) == (.capturing, Self.broken))
    machine.endCapture(units: 0)
    #expect((machine.busyReason, machine.failure) == (nil, nil))
  }

  @Test func whatIsBusyRefusesEverything() throws {
    var adjusting = machine(capacity: 1, units: 1)
    _ = try adjusting.setCapacity(units: 2)
    var replenishing = machine(capacity: 2, units: 1)
    _ = try replenishing.replenish()
    var capturing = machine(capacity: 1, units: 1)
    try capturing.beginCapture()
    for (busy, name) in [(adjusting, "ADJUSTING_CAPACITY"), (replenishing, "REPLENISHING"), (capturing, "CAPTURING")] {
      for request in Self.requests {
        var machine = busy
        let error = #expect(throws: CaptureError.self) { try request(&machine) }
        #expect(error?.reason == .videoStorageBusy)
        #expect(error?.metadata["busy_reasons"] == name)
        #expect(machine == busy)
      }
    }
  }

  private static let requests: [@Sendable (inout Machine) throws -> Void] = [
    { _ = try $0.setCapacity(units: 1) }, { _ = try $0.replenish() }, { try $0.beginCapture() },
  ]

  @Test func aCaptureNeedsACapacityAndRoom() {
    var machine = machine()
    #expect(#expect(throws: CaptureError.self) { try machine.beginCapture() }?.reason == .videoStorageNotConfigured)
    #expect(#expect(throws: CaptureError.self) { try machine.replenish() }?.reason == .videoStorageNotConfigured)
    machine = self.machine(capacity: 2, units: 0)
    #expect(#expect(throws: CaptureError.self) { try machine.beginCapture() }?.reason == .videoStorageFull)
  }
}

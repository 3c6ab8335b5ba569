import CaptureCore
import Foundation
import Locking
import Testing

@testable import VideoStorage

/// What a daemon that was killed leaves in the storage, and what the next one makes of it.
@Suite(.enabled(if: StorageFolder.isPossible))
struct VideoStorageRepairTests {
  private static let unit = Int64(StorageFolder.unitSize)
  private static let movie = pattern(2 * StorageFolder.unitSize + 777)

  /// A storage with units 1 to 4, of which a capture fills 1 to 3, as a daemon leaves it that is killed.
  private func killed(_ place: StorageFolder, length: Int = movie.count) throws -> CaptureEntry {
    let folder = try PoolFolder(in: place.path, unitSize: StorageFolder.unitSize)
    try folder.save(capacity: 4 * Self.unit)
    for number in 1...4 { try folder.make(UInt64(number)) }
    var entry = CaptureEntry(id: 9, target: "\(place.path)/movie.mp4", firstUnit: 1)
    try folder.ledger.write(entry)
    let thread = DiskThread(name: "units")
    let writer = BlockWriter(
      units: try UnitFiles([1, 2, 3, 4], in: folder, thread: thread),
      queue: try ThreadQueue(depth: 2), depth: 2, bufferSize: 64 << 10)
    try Self.movie.withUnsafeBytes { try writer.write($0) }
    try writer.flush()
    entry.length = UInt64(length)
    try folder.ledger.write(entry)
    // Nothing holds the lock of the folder after this.
    try thread.wait { () throws(CaptureError) in }
    return entry
  }

  private func copy(_ units: Int, to draft: String, in place: StorageFolder) throws {
    let bytes = Data(Self.movie[..<(units * StorageFolder.unitSize)])
    try bytes.write(to: URL(filePath: "\(place.path)/\(draft)"))
  }

  private func check(_ place: StorageFolder, length: Int = movie.count, remaining: Int64 = unit) async throws {
    for _ in 0..<2 {
      let storage = place.open()
      let state = await storage.idle()
      #expect(state?.remainingCapacity == remaining)
      #expect(state?.initialCapacity == 4 * Self.unit)
      #expect(try place.bytes("movie.mp4") == Array(Self.movie[..<length]))
      #expect(try Set(FileManager.default.contentsOfDirectory(atPath: place.path)) == [PoolFolder.name, "movie.mp4"])
      #expect(try Int64(place.units.count) == remaining / Self.unit)
      await storage.close()
    }
  }

  @Test func anAcknowledgedMovieIsMoved() async throws {
    let place = try StorageFolder()
    _ = try killed(place)
    try await check(place)
  }

  @Test func aMovieHasMovedBeforeTheStorageIsAskedForMore() async throws {
    let place = try StorageFolder()
    _ = try killed(place)
    let storage = place.open(capacity: 5 * Self.unit)
    await storage.waitForMoves()
    #expect(try place.bytes("movie.mp4") == Self.movie)
    let state = await storage.states().first { $0.busyReason == nil && $0.initialCapacity == 5 * Self.unit }
    #expect(state?.remainingCapacity == 5 * Self.unit)
    #expect(state?.failure == nil)
  }

  /// What was written after the last acknowledgement may not be whole.
  @Test func onlyWhatWasAcknowledgedIsMoved() async throws {
    let place = try StorageFolder()
    _ = try killed(place, length: 1000)
    try await check(place, length: 1000, remaining: 3 * Self.unit)
  }

  /// The storage may show a state from before the empty capture is given up.
  @Test(.timeLimit(.minutes(1))) func aCaptureWithoutAByteLeavesNoFile() async throws {
    let place = try StorageFolder()
    _ = try killed(place, length: 0)
    let storage = place.open()
    let state = await storage.states().first { $0.busyReason == nil && $0.remainingCapacity == 4 * Self.unit }
    #expect(state != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [PoolFolder.name])
  }

  /// The draft may have more than the units that were removed, and also rubbish.
  @Test(arguments: [0, 1, 2]) func aMoveThatWasBrokenOffGoesOn(moved: Int) async throws {
    let place = try StorageFolder()
    let entry = try killed(place)
    try copy(2, to: entry.draftName, in: place)
    for unit in try place.units.prefix(moved) { try FileManager.default.removeItem(atPath: "\(place.pool)/\(unit)") }
    try await check(place)
  }

  @Test(arguments: [2, 3]) func aMoveThatOnlyHadToTidyUpIsTidiedUp(removed: Int) async throws {
    let place = try StorageFolder()
    _ = try killed(place)
    try Data(Self.movie).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    for unit in try place.units.prefix(removed) { try FileManager.default.removeItem(atPath: "\(place.pool)/\(unit)") }
    try await check(place)
  }

  /// Silent zeros in the movie would be worse than a storage that stays busy.
  @Test(arguments: ["a unit in the middle", "the last unit", "the draft"])
  func aMovieOfWhichAPartIsMissingDoesNotMove(missing: String) async throws {
    let place = try StorageFolder()
    let entry = try killed(place)
    switch missing {
    case "a unit in the middle": try FileManager.default.removeItem(atPath: "\(place.pool)/\(place.units[1])")
    case "the last unit": try FileManager.default.removeItem(atPath: "\(place.pool)/\(place.units[2])")
    default:
      // The first unit was moved, and the draft has less than that.
      try FileManager.default.removeItem(atPath: "\(place.pool)/\(place.units[0])")
      try Data(count: 100).write(to: URL(filePath: "\(place.path)/\(entry.draftName)"))
    }
    let storage = place.open()
    let state = await storage.states().first { $0.failure != nil }
    #expect(state?.busyReason == .capturing)
    #expect(state?.failure?.message.contains("was removed from the storage") == true)
    #expect(!FileManager.default.fileExists(atPath: "\(place.path)/movie.mp4"))
  }

  /// It has the size of the movie, and other bytes.
  @Test func aForeignFileIsNotTakenForTheMovie() async throws {
    let place = try StorageFolder()
    _ = try killed(place, length: 1000)
    try Data(count: 1000).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    let storage = place.open()
    #expect(await storage.waitForMoves() == "\(place.path)/movie.mp4")
    #expect(await storage.state.failure?.errorNumber == EEXIST)
    #expect(try place.bytes("movie.mp4") == [UInt8](repeating: 0, count: 1000))
    #expect(await storage.state.busyReason == .capturing)
  }

  /// Where no rename spares a file at the place, the draft gets a second name first.
  @Test func aDraftThatIsAtThePlaceAlreadyLosesItsOtherName() async throws {
    let place = try StorageFolder()
    let entry = try killed(place)
    try Data(Self.movie).write(to: URL(filePath: "\(place.path)/\(entry.draftName)"))
    #expect(link("\(place.path)/\(entry.draftName)", "\(place.path)/movie.mp4") == 0)
    try await check(place)
  }

  /// A part of the movie that could not move has left the storage already.
  @Test func theSpaceOfAMovieThatHalfMovedIsNotCountedTwice() async throws {
    let place = try StorageFolder()
    let entry = try killed(place)
    try copy(2, to: entry.draftName, in: place)
    for unit in try place.units.prefix(2) { try FileManager.default.removeItem(atPath: "\(place.pool)/\(unit)") }
    try Data([1]).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    let storage = place.open()
    _ = await storage.waitForMoves()
    // One unit has the rest of the movie, and one is free.
    #expect(await storage.state.remainingCapacity == Self.unit)
  }

  @Test func aCapacityThatWasNotReachedIsNotChanged() async throws {
    let place = try StorageFolder()
    do {
      let folder = try PoolFolder(in: place.path, unitSize: StorageFolder.unitSize)
      try folder.save(capacity: Self.unit)
      for number in 1...3 { try folder.make(UInt64(number)) }
    }
    try Data(count: 100).write(to: URL(filePath: "\(place.pool)/making"))
    try Data(count: 100).write(to: URL(filePath: "\(place.pool)/unit-000000000000"))
    let storage = place.open()
    let state = await storage.state
    #expect((state.initialCapacity, state.remainingCapacity) == (Self.unit, Self.unit))
    #expect(try place.files == ["capacity", "ledger", "lock", "unit-000000000001"])
  }

  @Test func aMovieThatCannotMoveWaitsForTheNextStart() async throws {
    let place = try StorageFolder()
    _ = try killed(place)
    try Data([1]).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    let storage = place.open()
    let state = await storage.states().first { $0.failure != nil }
    #expect(state?.busyReason == .capturing)
    await storage.close()
    try FileManager.default.removeItem(atPath: "\(place.path)/movie.mp4")
    try await check(place)
  }

  /// The capacity of the configuration waits for a movie that a daemon left. A client whose call is refused meanwhile
  /// changes nothing.
  @Test(.timeLimit(.minutes(1))) func aRefusedCapacityLeavesThatOfTheConfiguration() async throws {
    let place = try StorageFolder()
    _ = try killed(place)
    try Data([1]).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    let (pauses, endPause) = AsyncStream.makeStream(of: Void.self)
    let storage = place.open(capacity: 2 * Self.unit) { _ in for await _ in pauses { return } }
    _ = await storage.waitForMoves()
    let refusal = await #expect(throws: CaptureError.self) { try await storage.setCapacity(3 * Self.unit) }
    #expect(refusal?.reason == .videoStorageBusy)
    try FileManager.default.removeItem(atPath: "\(place.path)/movie.mp4")
    endPause.yield()
    let state = await storage.states().first { $0.busyReason == nil && $0.initialCapacity == 2 * Self.unit }
    #expect(state != nil)
  }

  /// A ledger that a crash cut off is made anew.
  @Test func aLedgerOfTheWrongSizeIsNone() async throws {
    let place = try StorageFolder()
    await (try place.open(units: 1)).close()
    try Data(count: 4096).write(to: URL(filePath: "\(place.pool)/ledger"))
    #expect(await place.open().state.remainingCapacity == Self.unit)
  }
}

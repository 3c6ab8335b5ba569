import CaptureCore
import Foundation
import Logging
import Synchronization
import Testing

@testable import VideoStorage

/// The storage on a disk: its capacity, captures, and what a crash leaves.
@Suite(.enabled(if: StorageFolder.isPossible))
struct VideoStorageTests {
  private static let unit = Int64(StorageFolder.unitSize)

  @Test func withoutACapacityThereIsNothingOnTheDisk() async throws {
    let place = try StorageFolder()
    let storage = place.open()
    #expect(await storage.state == VideoStorageState())
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
  }

  @Test func aCapacityIsRoundedUpToUnitsAndOutlivesTheDaemon() async throws {
    let place = try StorageFolder()
    var storage = place.open()
    let busy = try await storage.setCapacity(Self.unit + 1)
    #expect(busy.busyReason == .adjustingCapacity)
    var state = await storage.idle()
    #expect(state?.initialCapacity == 2 * Self.unit)
    #expect(state?.remainingCapacity == 2 * Self.unit)
    #expect(try place.units.count == 2)
    await storage.close()
    storage = place.open()
    #expect(await storage.state == state)
    _ = try await storage.setCapacity(0)
    state = await storage.idle()
    #expect(state == VideoStorageState())
    #expect(try place.units == [])
  }

  /// A block that was only allocated would make the first write of it slower.
  @Test func eachBlockOfAUnitWasWritten() async throws {
    let place = try StorageFolder()
    _ = try await place.open(units: 1)
    let file = open("\(place.pool)/\(try #require(try place.units.first))", O_RDONLY)
    defer { close(file) }
    // 4 is SEEK_HOLE. A block that was never written is a hole.
    #expect(lseek(file, 0, 4) == Int(Self.unit))
  }

  @Test func theConfigurationSetsTheCapacity() async throws {
    let place = try StorageFolder()
    let storage = place.open(capacity: 3 * Self.unit)
    #expect(await storage.idle()?.initialCapacity == 3 * Self.unit)
    #expect(try place.units.count == 3)
  }

  @Test func aCapacityBeyondTheDiskIsRefused() async throws {
    let place = try StorageFolder()
    let storage = place.open()
    var error = await #expect(throws: CaptureError.self) { try await storage.setCapacity(VideoStorage.maximumCapacity) }
    #expect(error?.reason == .videoStorageFull)
    error = await #expect(throws: CaptureError.self) { try await storage.setCapacity(-1) }
    #expect(error?.reason == .invalidArgument)
    #expect(await storage.state == VideoStorageState())
  }

  @Test func whatACaptureTookIsReplaced() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 3)
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    try capture.write(pattern(Int(Self.unit) + 10))
    #expect(await storage.state.remainingCapacity == 2 * Self.unit - 4096)
    try await capture.finish()
    #expect(await storage.state.remainingCapacity == Self.unit)
    #expect(try await storage.replenish().busyReason == .replenishing)
    #expect(await storage.idle()?.remainingCapacity == 3 * Self.unit)
    #expect(try place.units.count == 3)
  }

  @Test(arguments: [1, 4096, 5000, StorageFolder.unitSize, 2 * StorageFolder.unitSize + 77])
  func aMovieIsAtItsPlaceWhenItIsFinishedAndNotBefore(count: Int) async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 3)
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    let movie = pattern(count)
    for part in stride(from: 0, to: count, by: 300_001) {
      try capture.write(Array(movie[part..<min(count, part + 300_001)]))
      try capture.flush()
    }
    #expect(capture.acknowledgedSize == UInt64(count))
    #expect(!FileManager.default.fileExists(atPath: "\(place.path)/movie.mp4"))
    try await capture.finish()
    #expect(try place.bytes("movie.mp4") == movie)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: place.path)) == [PoolFolder.name, "movie.mp4"])
    #expect(await storage.state.busyReason == nil)
  }

  @Test func oneCaptureAtATime() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 1)
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    let error = await #expect(throws: CaptureError.self) { try await storage.beginCapture(to: "\(place.path)/b.mp4") }
    #expect(error?.reason == .videoStorageBusy)
    #expect(error?.metadata["busy_reasons"] == "CAPTURING")
    try capture.write(pattern(10))
    try await capture.discard()
    #expect(await storage.state.remainingCapacity == Self.unit)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [PoolFolder.name])
  }

  /// What was taken is not there, and a movie that could not get its place takes no space.
  @Test(arguments: ["movie.mp4", "none/movie.mp4"]) func aPlaceThatCannotBeHadIsRefused(name: String) async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 1)
    try Data([1]).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    let error = await #expect(throws: CaptureError.self) { try await storage.beginCapture(to: "\(place.path)/\(name)") }
    #expect(error?.errorNumber == (name == "movie.mp4" ? EEXIST : ENOENT))
    #expect(await storage.state.busyReason == nil)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: place.path)) == [PoolFolder.name, "movie.mp4"])
  }

  /// A unit that was removed by hand, or by a repair, leaves a gap in the numbers.
  @Test func aCaptureFillsAllUnitsAlsoThoseAfterAGap() async throws {
    let place = try StorageFolder()
    await (try place.open(units: 4)).close()
    try FileManager.default.removeItem(atPath: "\(place.pool)/\(place.units[1])")
    let storage = place.open()
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    let movie = pattern(3 * StorageFolder.unitSize)
    try capture.write(movie)
    try await capture.finish()
    #expect(try place.bytes("movie.mp4") == movie)
    #expect(try place.units == [])
  }

  @Test func anEndedCaptureEndsOnlyOnce() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 2)
    let first = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    try first.write(pattern(10))
    try await first.finish()
    let second = try await storage.beginCapture(to: "\(place.path)/second.mp4")
    try await first.discard()
    try await first.finish()
    #expect(await storage.state.busyReason == .capturing)
    try second.write(pattern(20))
    try await second.finish()
    #expect(try place.bytes("movie.mp4") == pattern(10))
    #expect(try place.bytes("second.mp4") == pattern(20))
  }

  /// The disk gets the space of a file back only when nobody has it open.
  @Test func anEndedCaptureHasNoFileOpen() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 2)
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    try capture.write(pattern(10))
    try await capture.finish()
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    #expect(open.filter { $0.hasPrefix("\(place.pool)/unit-") } == [])
    #expect(capture.size == 10)
  }

  @Test func aFileAtThePlaceStaysAndTheMovieCanMoveLater() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 2)
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    try Data([1]).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    let movie = pattern(Int(Self.unit) + 5)
    try capture.write(movie)
    await #expect(throws: CaptureError.self) { try await capture.finish() }
    #expect(try place.bytes("movie.mp4") == [1])
    #expect(await storage.state.busyReason == .capturing)
    #expect(await storage.state.failure?.errorNumber == EEXIST)
    try FileManager.default.removeItem(atPath: "\(place.path)/movie.mp4")
    try await capture.finish()
    #expect(try place.bytes("movie.mp4") == movie)
    #expect(await storage.state.failure == nil)
  }

  @Test func aMovieThatCannotMoveCanBeDiscarded() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 2)
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    try Data([1]).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    try capture.write(pattern(10))
    await #expect(throws: CaptureError.self) { try await capture.finish() }
    try await capture.discard()
    #expect(await storage.state.busyReason == nil)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: place.path)) == [PoolFolder.name, "movie.mp4"])
  }

  @Test func aCaptureEndsWhereItsMovieEnds() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 1)
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    try capture.write(pattern(10_000))
    try await capture.finish(length: 5000)
    #expect(try place.bytes("movie.mp4") == pattern(5000))
  }

  @Test func aCaptureThatNobodyEndsMovesAsFarAsItIsOnTheDisk() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 1)
    do {
      let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
      try capture.write(pattern(5000))
      try capture.flush()
      try capture.write(pattern(100))
    }
    _ = await storage.idle()
    #expect(try place.bytes("movie.mp4") == pattern(5000))
  }

  /// The storage tries until somebody removes the obstacle.
  @Test(.timeLimit(.minutes(1))) func aMovieThatIsLeftMovesOnceThatIsPossible() async throws {
    let place = try StorageFolder()
    await (try place.open(units: 1)).close()
    let obstacle = "\(place.path)/movie.mp4"
    let delays = Mutex<[UInt64]>([])
    let storage = place.open { delay in
      delays.withLock { $0.append(delay) }
      if delays.withLock({ $0.count }) == 3 { try? FileManager.default.removeItem(atPath: obstacle) }
    }
    let capture = try await storage.beginCapture(to: obstacle)
    try Data([1]).write(to: URL(filePath: obstacle))
    try capture.write(pattern(10))
    await #expect(throws: CaptureError.self) { try await capture.finish() }
    await capture.leave()
    let state = await storage.idle()
    #expect(state?.failure == nil)
    #expect(try place.bytes("movie.mp4") == pattern(10))
    #expect(delays.withLock { $0 } == [1, 2, 4].map { $0 * 1_000_000_000 })
  }

  @Test func anOperatorGivesUpAMovieThatCannotMove() async throws {
    let place = try StorageFolder()
    let storage = try await place.open(units: 2)
    let capture = try await storage.beginCapture(to: "\(place.path)/movie.mp4")
    try Data([1]).write(to: URL(filePath: "\(place.path)/movie.mp4"))
    try capture.write(pattern(10))
    await #expect(throws: CaptureError.self) { try await capture.finish() }
    await capture.leave()
    #expect(await storage.waitForMoves() == "\(place.path)/movie.mp4")
    await #expect(throws: CaptureError.self) { try await storage.setCapacity(Self.unit) }
    _ = try await storage.setCapacity(0)
    #expect(await storage.idle() == VideoStorageState(bytesWritten: 4096))
    #expect(try place.bytes("movie.mp4") == [1])
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: place.path)) == [PoolFolder.name, "movie.mp4"])
  }

  /// The disk does not have the space.
  @Test func aCapacityOfTheConfigurationBeyondTheDiskIsRefusedAtOnce() async throws {
    let place = try StorageFolder()
    let storage = place.open(capacity: VideoStorage.maximumCapacity)
    let state = await storage.state
    #expect(state.failure?.reason == .videoStorageFull)
    #expect((state.initialCapacity, state.remainingCapacity, state.busyReason == nil) == (0, 0, true))
    #expect(try place.units == [])
  }

  /// A disk that is full, or has no descriptor left, can hold a storage all the same.
  @Test func onlyTheFileSystemDecidesWhetherThereCanBeAStorage() {
    for number in [ENOSPC, EDQUOT, EMFILE, EACCES, EROFS, 0] {
      #expect(PoolSupport.sentence("/storage", "takes no direct writes", number) == nil)
    }
    for number in [EOPNOTSUPP, EINVAL] {
      #expect(PoolSupport.sentence("/storage", "takes no direct writes", number)?.contains("/storage") == true)
    }
  }

  @Test func aFolderInMemoryIsNotSupported() async throws {
    try #require(PoolSupport.refusal(of: "/dev/shm") != nil)
    let storage = VideoStorage(folder: "/dev/shm/firstlight-\(UUID().uuidString)", logger: .init(label: "test"))
    let state = await storage.state
    #expect(state.unsupportedReason?.contains("/dev/shm") == true)
    #expect((state.initialCapacity, state.remainingCapacity) == (0, 0))
    let error = await #expect(throws: CaptureError.self) { try await storage.setCapacity(1) }
    #expect(error?.reason == .videoStorageNotSupported)
  }

  @Test func aStorageThatCannotBeReadSaysSo() async throws {
    let place = try StorageFolder()
    let first = try await place.open(units: 1)
    let second = place.open()
    #expect(await second.state.initialCapacity == -1)
    #expect(await second.state.remainingCapacity == -1)
    let error = await #expect(throws: CaptureError.self) { try await second.replenish() }
    #expect(error?.message.contains("Another daemon") == true)
    #expect(await first.state.remainingCapacity == Self.unit)
  }

  /// A process that the daemon starts at this instant has copies of all descriptors until it begins its program.
  @Test func aCopyOfTheLocksDescriptorDoesNotHoldTheLock() throws {
    let place = try StorageFolder()
    var folder: PoolFolder? = try PoolFolder(in: place.path, unitSize: StorageFolder.unitSize)
    let lock = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).first {
      let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      return file == "\(place.pool)/lock"
    }
    let copy = dup(try #require(lock))
    defer { close(copy) }
    #expect(copy >= 0)
    withExtendedLifetime(folder) {}
    folder = nil
    folder = try PoolFolder(in: place.path, unitSize: StorageFolder.unitSize)
  }
}

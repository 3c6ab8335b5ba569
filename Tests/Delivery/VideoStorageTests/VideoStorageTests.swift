import CaptureCore
import Foundation
import Logging
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
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [PoolFolder.name])
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
}

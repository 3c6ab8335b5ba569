import CaptureCore
import Foundation
import Synchronization
import Testing

@testable import VideoStorage

/// Movies that stay in the storage after their captures, and what others learn of them.
@Suite(.enabled(if: StorageFolder.isPossible), .timeLimit(.minutes(1)))
struct LeftMovieTests {
  private let place: StorageFolder
  private let gone = Gone()
  private var movie: String { "\(place.path)/movie.mp4" }

  private final class Gone: Sendable {
    let movies = Mutex<[LeftMovie]>([])
    var all: [LeftMovie] { movies.withLock { $0 } }
  }

  init() throws { place = try StorageFolder() }

  /// A storage with two units, and a movie that cannot move.
  private func openWithStuckMovie() async throws -> VideoStorage {
    let storage = try await place.open(units: 2)
    storage.whenLeftMovieIsGone { [gone] movie in gone.movies.withLock { $0.append(movie) } }
    let capture = try await storage.beginCapture(to: movie)
    #expect(storage.movieInside == movie)
    try Data([1]).write(to: URL(filePath: movie))
    try capture.write(pattern(10))
    await #expect(throws: CaptureError.self) { try await capture.finish() }
    await capture.leave()
    return storage
  }

  @Test func aMovieIsGivenUpByItsPath() async throws {
    let storage = try await openWithStuckMovie()
    try await storage.giveUp("\(place.path)/other.mp4")
    #expect(storage.movieInside == movie)
    #expect(gone.all == [])
    try await storage.giveUp(movie)
    #expect(storage.movieInside == nil)
    #expect(gone.all == [LeftMovie(target: movie, hasFile: false)])
    #expect(await storage.state.busyReason == nil)
    #expect(try place.bytes("movie.mp4") == [1])
  }

  /// The movie of a recording that runs is its client's.
  @Test func aMovieThatIsBeingWrittenIsNotGivenUp() async throws {
    let storage = try await place.open(units: 1)
    let capture = try await storage.beginCapture(to: movie)
    try capture.write(pattern(10))
    try await storage.giveUp(movie)
    #expect(storage.movieInside == movie)
    try await capture.finish()
    #expect(storage.movieInside == nil)
    #expect(try place.bytes("movie.mp4") == pattern(10))
  }

  @Test func whoeverComesLateLearnsOfTheNewestMovie() async throws {
    let storage = try await openWithStuckMovie()
    try await storage.giveUp(movie)
    let late = Gone()
    storage.whenLeftMovieIsGone { movie in late.movies.withLock { $0.append(movie) } }
    #expect(late.all == gone.all)
  }

  /// The daemon ends while the first of two units has moved.
  @Test func aMoveThatIsBrokenOffGoesOnWithTheNextDaemon() async throws {
    let bytes = pattern(StorageFolder.unitSize + 777)
    do {
      let storage = try await place.open(units: 2)
      let capture = try await storage.beginCapture(to: movie)
      try capture.write(bytes)
      let error = await #expect(throws: CaptureError.self) {
        try await capture.finish { _ in storage.breakOffMoves() }
      }
      #expect(error?.reason == .operationInterrupted)
      #expect(!FileManager.default.fileExists(atPath: movie))
      await capture.leave()
      #expect(await storage.waitForMoves() == movie)
      await storage.close()
    }
    let next = place.open()
    next.whenLeftMovieIsGone { [gone] movie in gone.movies.withLock { $0.append(movie) } }
    await next.waitForMoves()
    #expect(try place.bytes("movie.mp4") == bytes)
    #expect(gone.all == [LeftMovie(target: movie, hasFile: true)])
  }

  @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
  func onlyAMoveToAnotherFileSystemNeedsSpaceForTheWholeMovie() async throws {
    let elsewhere = "/dev/shm/firstlight-\(UUID().uuidString).mp4"
    let storage = try await place.open(units: 1)
    for (target, needed) in [(movie, UInt64(0)), (elsewhere, 10_000)] {
      let capture = try await storage.beginCapture(to: target)
      try capture.write(pattern(10_000))
      #expect(capture.bytesForMove == needed)
      try await capture.discard()
    }
  }
}

import CaptureCore
import Foundation
import MovieTestKit
import Synchronization
import Testing
import VideoCoding
import VideoStorage

@testable import MovieRecording

/// What a store makes of a recording whose movie is in the video storage, while a foreign file is at its place.
@Suite(.timeLimit(.minutes(2)))
struct VideoStorageStoreTests {
  private static let foreign = Data("somebody else's".utf8)
  private let folder = StoreFolder()
  private let storage = FakeStorage()

  private func open() throws -> RecordingStore { try folder.open(with: storage) }

  /// A store after a start of the daemon that found a movie in the storage.
  private func openWithLeftMovie(_ record: RecordingRecord = StoreFolder.record("a", file: "a.mp4")) throws
    -> RecordingStore
  {
    try folder.write(record)
    try folder.write("a.mp4", Self.foreign)
    storage.inside = folder.path("a.mp4")
    return try open()
  }

  /// A recording that ended in this run of the daemon, and whose movie cannot move.
  private func stuck(in store: RecordingStore) async throws -> RecordingRecord {
    var record = try await store.reserve("a")
    record.tally.fileSize = 1000
    record.end = .stopped
    await store.saveEnd(of: record)
    storage.inside = store.path(of: record)
    try folder.write("a.mp4", Self.foreign)
    record.state = .finished
    store.fail(record, CaptureError(.processingFailed, "The disk is full."))
    return record
  }

  @Test func aForeignFileIsNeitherRepairedNorRead() async throws {
    let store = try openWithLeftMovie()
    let record = try await store.record("a")
    #expect((record.state, record.isUsable) == (.finished, false))
    #expect((record.tally.frames, record.tally.fileSize) == (0, 0))
    let error = await #expect(throws: CaptureError.self) { try await store.open("a") }
    #expect(error?.reason == .recordingInProgress)
    #expect(try folder.bytes("a.mp4") == Self.foreign)
    #expect(try folder.record("a").state == .recording, "a later start repairs the record")
    #expect(folder.log.all.count == 1)
    #expect(folder.log.all[0].contains("still in the video storage"))
  }

  @Test(.enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable))
  func aMovieThatArrivesLaterIsRepaired() async throws {
    let movie = try await ShortMovie(.mp4)
    let store = try openWithLeftMovie()
    try folder.write("a.mp4", movie.bytes.prefix(movie.frameEnds[29]))
    storage.end(hasFile: true)
    let record = try await store.record("a")
    #expect((record.state, record.isUsable, record.tally.frames) == (.finished, true, 30))
    #expect(try folder.record("a").tally == record.tally)
  }

  /// The move ends between the start of the storage and that of the store.
  @Test func aMovieThatArrivedBeforeTheStoreWasReadyIsRepaired() async throws {
    let bytes = Data(count: 1000)
    var record = StoreFolder.record("a", file: "a.mp4")
    (record.state, record.end, record.isCaptured, record.tally.fileSize) = (.finishing, .stopped, true, 1000)
    storage.whenAsked = { [storage, folder] in
      try? folder.write("a.mp4", bytes)
      storage.end(hasFile: true)
    }
    let store = try openWithLeftMovie(record)
    #expect(try await store.record("a").isUsable)
  }

  /// All that was missing of the movie was its way to its file.
  @Test func aMovieThatWasWholeKeepsItsEnd() async throws {
    var record = StoreFolder.record("a", file: "a.mp4")
    record.tally.frames = 30
    (record.state, record.end, record.isCaptured, record.tally.fileSize) = (.finishing, .stopped, true, 1000)
    let store = try openWithLeftMovie(record)
    try folder.write("a.mp4", Data(count: 1000))
    storage.end(hasFile: true)
    let arrived = try await store.record("a")
    #expect((arrived.end, arrived.tally.frames, arrived.isUsable) == (.stopped, 30, true))
    await store.close()
    #expect(try await folder.open().record("a") == arrived)
  }

  @Test func aMovieThatIsNotWholeDoesNotKeepItsEnd() async throws {
    var record = StoreFolder.record("a", file: "a.mp4")
    (record.state, record.end, record.isCaptured, record.tally.fileSize) = (.finishing, .stopped, true, 1000)
    try folder.write(record)
    try folder.write("a.mp4", Data(count: 999))
    let repaired = try await folder.open().record("a")
    #expect(repaired.end == .daemonEnded("Nothing of its file plays."))
    #expect(!repaired.isUsable)
  }

  @Test func aStuckMovieOfThisRunIsUsableWhenItHasMoved() async throws {
    let store = try open()
    let id = try await stuck(in: store).id
    #expect(try await !store.record(id).isUsable)
    try folder.write("a.mp4", Data(count: 1000))
    storage.end(hasFile: true)
    let record = try await store.record(id)
    #expect(record.isUsable)
    #expect(record.end == .failed(CaptureError(.processingFailed, "The disk is full.")))
    #expect(try folder.record(id).state == .finished)
  }

  @Test(arguments: [true, false]) func theDeletionGivesTheMovieUp(afterAStart: Bool) async throws {
    let store = try afterAStart ? openWithLeftMovie() : open()
    let id = try afterAStart ? "a" : await stuck(in: store).id
    try await store.delete(id)
    #expect(storage.givenUp == [folder.path("a.mp4")])
    #expect(try folder.bytes("a.mp4") == Self.foreign)
    #expect(!folder.has(".firstlight/\(id).json"))
    let error = await #expect(throws: CaptureError.self) { try await store.record(id) }
    #expect(error?.reason == .recordingNotFound)
  }

  /// The disk may not answer.
  @Test func aMovieThatCannotBeGivenUpStays() async throws {
    let store = try openWithLeftMovie()
    storage.failure = CaptureError(.processingFailed, "The disk does not answer.")
    let error = await #expect(throws: CaptureError.self) { try await store.delete("a") }
    #expect(error == storage.failure)
    #expect(try folder.bytes("a.mp4") == Self.foreign)
    #expect(try await store.record("a").state == .finished)
  }

  /// An operator gives the movie up. Nobody may take the foreign file for it after that, also after a start.
  @Test(arguments: [true, false]) func aFileInThePlaceOfALostMovieStays(afterAStart: Bool) async throws {
    let store = try afterAStart ? openWithLeftMovie() : open()
    let id = try afterAStart ? "a" : await stuck(in: store).id
    storage.end(hasFile: false)
    #expect(try await !store.record(id).isUsable)
    await store.close()
    let next = try folder.open()
    #expect(try await !next.record(id).isUsable)
    await #expect(throws: CaptureError.self) { try await next.open(id) }
    try await next.delete(id)
    #expect(try folder.bytes("a.mp4") == Self.foreign)
    #expect(!folder.has(".firstlight/\(id).json"))
  }
}

/// What a store makes of an unfinished recording of the video storage after a start that could not read the storage.
@Suite(.timeLimit(.minutes(2)))
struct UnreadableVideoStorageTests {
  private static let foreign = Data("somebody else's".utf8)
  private let folder = StoreFolder()
  private let storage = FakeStorage()

  private func writeRecord() throws {
    var record = StoreFolder.record("a", file: "a.mp4")
    record.usesVideoStorage = true
    try folder.write(record)
  }

  /// The disk of the storage is not mounted.
  @Test func theRecordWaitsForAStartThatCanReadTheStorage() async throws {
    try writeRecord()
    try folder.write("a.mp4", Self.foreign)
    storage.isReadable = false
    let store = try folder.open(with: storage)
    let record = try await store.record("a")
    #expect((record.state, record.isUsable, record.tally.fileSize) == (.finished, false, 0))
    #expect(try folder.bytes("a.mp4") == Self.foreign)
    #expect(try folder.record("a").state == .recording)
    #expect(folder.log.all.count == 1)
    #expect(folder.log.all[0].contains("cannot be read"))
    await store.close()
    // The movie left the storage before that start, and its place is free again.
    storage.isReadable = true
    try FileManager.default.removeItem(atPath: folder.path("a.mp4"))
    #expect(try await folder.open(with: storage).record("a").end == .daemonEnded("Its file was not made yet."))
    #expect(try folder.record("a").state == .finished)
  }

  /// An earlier version took the recording for one without a file.
  @Test(.enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable))
  func aMovieThatComesAfterItsRecordWasFinishedIsUsable() async throws {
    let movie = try await ShortMovie(.mp4)
    var record = StoreFolder.record("a", file: "a.mp4")
    (record.state, record.end) = (.finished, .daemonEnded("Its file was not made yet."))
    try folder.write(record)
    storage.inside = folder.path("a.mp4")
    let store = try folder.open(with: storage)
    try folder.write("a.mp4", movie.bytes.prefix(movie.frameEnds[29]))
    storage.end(hasFile: true)
    let arrived = try await store.record("a")
    #expect((arrived.isUsable, arrived.tally.frames) == (true, 30))
    #expect(try folder.record("a").tally == arrived.tally)
  }
}

/// A storage in which at most one movie is, whose recording has ended.
final class FakeStorage: MovieStorage {
  private struct State {
    var inside: String?
    var isReadable = true
    var whenGone: (@Sendable (LeftMovie) -> Void)?
    var newest: LeftMovie?
    var givenUp: [String] = []
    var failure: CaptureError?
    var whenAsked: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var inside: String? {
    get { state.withLock(\.inside) }
    set { state.withLock { $0.inside = newValue } }
  }
  var isReadable: Bool {
    get { state.withLock(\.isReadable) }
    set { state.withLock { $0.isReadable = newValue } }
  }
  var failure: CaptureError? {
    get { state.withLock(\.failure) }
    set { state.withLock { $0.failure = newValue } }
  }
  /// Happens once, after the next one who asks has the answer.
  var whenAsked: (@Sendable () -> Void)? {
    get { nil }
    set { state.withLock { $0.whenAsked = newValue } }
  }
  var givenUp: [String] { state.withLock(\.givenUp) }

  var movieInside: String? {
    let (inside, act) = state.withLock { state in
      defer { state.whenAsked = nil }
      return (state.inside, state.whenAsked)
    }
    act?()
    return inside
  }

  func giveUp(_ target: String) async throws(CaptureError) {
    if let failure { throw failure }
    state.withLock { $0.givenUp.append(target) }
    end(hasFile: false)
  }

  func whenLeftMovieIsGone(_ body: @escaping @Sendable (LeftMovie) -> Void) {
    let newest = state.withLock { state in
      state.whenGone = body
      return state.newest
    }
    if let newest { body(newest) }
  }

  /// The movie has left the storage.
  func end(hasFile: Bool) {
    let (movie, tell) = state.withLock { state in
      let movie = LeftMovie(target: state.inside ?? "", hasFile: hasFile)
      (state.inside, state.newest) = (nil, movie)
      return (movie, state.whenGone)
    }
    tell?(movie)
  }
}

import CaptureCore
import Foundation
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// The folder while a store has it open.
@Suite struct RecordingStoreTests {
  private let folder = StoreFolder()

  private func refused(_ body: () async throws -> Void) async -> CaptureError.Reason? {
    await #expect(throws: CaptureError.self) { try await body() }?.reason
  }

  @Test func aPauseOutlivesACrash() async throws {
    let store = try folder.open()
    var record = try await store.reserve("a.mp4")
    (record.state, record.startTime) = (.recording, WallInstant(nanoseconds: 1))
    store.update(record)
    record.pauses = [RecordingPause(movieTime: 1, duration: 2)]
    store.update(record)
    _ = try await store.record(record.id)
    #expect(try folder.record(record.id).pauses == record.pauses)
  }

  @Test func aRecordingIsOnTheDiskBeforeItsFile() async throws {
    let store = try folder.open()
    let record = try await store.reserve("day/a")
    #expect(record.file == "day/a.mp4")
    #expect(store.path(of: record) == folder.path("day/a.mp4"))
    #expect(try folder.record(record.id) == record)
    #expect(folder.has("day"))
    #expect(!folder.has("day/a.mp4"))
    #expect(record.state == .starting)
    #expect(try await store.record(record.id) == record)
  }

  @Test func aRecordingWithoutANameGetsOne() async throws {
    let store = try folder.open()
    let (one, other) = (try await store.reserve(), try await store.reserve())
    #expect(one.file.hasPrefix("s1/20"))
    #expect(one.file.hasSuffix("-\(one.id).mp4"))
    #expect(one.id != other.id)
  }

  /// The time of the first frame outlives a crash; other updates need no disk.
  @Test func theFirstFrameIsOnTheDisk() async throws {
    let store = try folder.open()
    var record = try await store.reserve("a")
    record.state = .recording
    record.startTime = WallInstant(nanoseconds: 5)
    store.update(record)
    record.tally.frames = 7
    store.update(record)
    #expect(try await store.record(record.id).tally.frames == 7)
    #expect(try folder.record(record.id).startTime == record.startTime)
  }

  @Test func aFinishedRecordingIsOnTheDiskAndStays() async throws {
    let store = try folder.open()
    var record = try await store.recording("a", Data([1, 2, 3]))
    #expect(try await store.record(record.id) == record)
    var stored = record
    stored.isUsable = false
    #expect(try folder.record(record.id) == stored)
    record.state = .recording
    record.tally.frames = 99
    store.update(record)
    #expect(try await store.record(record.id).state == .finished)
    #expect(try await store.record(record.id).tally.frames == 0)
  }

  // MARK: Paths

  @Test func aFileThatExistsIsRefused() async throws {
    let store = try folder.open()
    try folder.write("there.mp4", Data([1]))
    #expect(await refused { _ = try await store.reserve("there") } == .recordingExists)
    _ = try await store.reserve("mine")
    #expect(await refused { _ = try await store.reserve("mine.mp4") } == .recordingExists)
    #expect(try folder.bytes("there.mp4") == Data([1]))
    #expect(try await store.records().count == 1)
  }

  /// Neither a link to a folder nor one in the place of the file is followed.
  @Test func noLinkLeadsOutOfTheFolder() async throws {
    let outside = StoreFolder()
    try outside.write("secret.mp4", Data([1]))
    let store = try folder.open()
    let files = FileManager.default
    try files.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: outside.path)
    try files.createSymbolicLink(atPath: folder.path("gone.mp4"), withDestinationPath: outside.path("new.mp4"))
    #expect(await refused { _ = try await store.reserve("link/a") } == .invalidArgument)
    #expect(await refused { _ = try await store.reserve("link/sub/a") } == .invalidArgument)
    #expect(await refused { _ = try await store.reserve("link/\u{301}a") } == .invalidArgument, "an accent on a slash")
    #expect(await refused { _ = try await store.reserve("gone") } == .recordingExists)
    // A link that replaces the folder of a recording is not followed either.
    let record = try await store.recording("sub/secret", Data([1, 2]))
    try files.removeItem(atPath: folder.path("sub"))
    try files.createSymbolicLink(atPath: folder.path("sub"), withDestinationPath: outside.path)
    #expect(try await store.record(record.id).isUsable == false)
    #expect(await refused { _ = try await store.open(record.id) } == .invalidArgument)
    #expect(await refused { try await store.delete(record.id) } == .invalidArgument)
    #expect(try outside.bytes("secret.mp4") == Data([1]))
  }

  @Test func aFileInThePlaceOfAFolderIsRefused() async throws {
    let store = try folder.open()
    try folder.write("file.mp4", Data([1]))
    #expect(await refused { _ = try await store.reserve("file.mp4/a") } == .invalidArgument)
  }

  // MARK: The folder

  @Test func onlyOneStoreHasAFolder() throws {
    let store = try folder.open()
    let error = #expect(throws: CaptureError.self) { _ = try folder.open() }
    #expect(error?.message.contains("Another daemon") == true)
    withExtendedLifetime(store) {}
  }

  @Test func aFolderIsFreeWhenItsStoreIsClosed() async throws {
    let store = try folder.open()
    _ = try await store.reserve("a")
    await store.close()
    #expect(try await folder.open().records().count == 1)
  }

  /// Root may write everywhere, but not below a file.
  @Test func aFolderThatCannotBeMadeIsAnError() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let error = #expect(throws: CaptureError.self) {
      _ = try folder.open(at: "\(file.path)/recordings")
    }
    #expect(error?.errorNumber == ENOTDIR)
  }

  /// A disk that does not take the record refuses the recording, and leaves nothing behind.
  @Test func aRecordThatCannotBeWrittenIsAnError() async throws {
    let store = try folder.open()
    try FileManager.default.removeItem(atPath: folder.path(".firstlight"))
    #expect(await refused { _ = try await store.reserve("sub/a") } == .processingFailed)
    #expect(!folder.has("sub"))
    #expect(try await store.records().isEmpty)
  }

  /// A broken disk first refuses the movie and then the record. The client learns of the movie.
  @Test func theFirstFailureCounts() async throws {
    let store = try folder.open()
    var record = try await store.reserve("a")
    record.end = .failed(CaptureError(.processingFailed, "The movie cannot be written."))
    try FileManager.default.removeItem(atPath: folder.path(".firstlight"))
    let failed = record
    #expect(await refused { try await store.finish(failed) } == .processingFailed)
    #expect(try await store.record(record.id).end == failed.end)
  }
}

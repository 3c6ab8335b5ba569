import CaptureCore
import Foundation
import SystemClocks
import Testing

@testable import MovieRecording

/// Listing, reading and deleting recordings.
@Suite struct RecordingStoreReadingTests {
  private let folder = StoreFolder()

  private func refused(_ body: () async throws -> Void) async -> CaptureError.Reason? {
    await #expect(throws: CaptureError.self) { try await body() }?.reason
  }

  @Test func theNewestRecordingComesFirst() async throws {
    for (id, time) in [("b", 2), ("a", 1), ("d", 3), ("c", 3)] as [(String, UInt64)] {
      var record = StoreFolder.record(id, file: "\(id).mp4", session: id == "b" ? "s2" : "s1", time: time)
      record.state = .finished
      record.startTime = WallInstant(nanoseconds: time * 100)
      record.duration = 10
      record.tally.fileSize = 1
      try folder.write(record)
      try folder.write(record.file, Data([1]))
    }
    let store = try folder.open()
    let running = try await store.reserve("e")
    func ids(
      session: String? = nil, state: RecordingRecord.State? = nil, during span: Range<UInt64>? = nil
    ) async throws -> [String] {
      let times = span.map { WallInstant(nanoseconds: $0.lowerBound)..<WallInstant(nanoseconds: $0.upperBound) }
      return try await store.records(session: session, state: state, during: times).map(\.id)
    }
    #expect(try await ids() == [running.id, "c", "d", "b", "a"])
    #expect(try await ids(session: "s2") == ["b"])
    #expect(try await ids(session: "s3") == [])
    #expect(try await ids(state: .starting) == [running.id])
    #expect(try await ids(state: .finished) == ["c", "d", "b", "a"])
    #expect(try await ids(during: 105..<201) == ["b", "a"])
    #expect(try await ids(session: "s1", state: .finished, during: 105..<201) == ["a"])
    #expect(try await ids(during: 110..<200) == [])
  }

  @Test func aFileThatWasDeletedByHandIsNotUsable() async throws {
    let store = try folder.open()
    let record = try await store.recording("a", Data([1, 2]))
    try FileManager.default.removeItem(atPath: folder.path("a.mp4"))
    #expect(try await store.records().map(\.isUsable) == [false])
    #expect(await refused { _ = try await store.open(record.id) } == .recordingNotFound)
    // Its record can still be deleted.
    try await store.delete(record.id)
    #expect(try await store.records().isEmpty)
  }

  @Test func aRecordingThatIsDeletedStaysReadable() async throws {
    let store = try folder.open()
    let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    let record = try await store.recording("x/y/a", bytes)
    let file = try await store.open(record.id)
    try await store.delete(record.id)
    #expect(!folder.has("x"))
    #expect(!folder.has(".firstlight/\(record.id).json"))
    #expect(await refused { _ = try await store.record(record.id) } == .recordingNotFound)
    #expect(await refused { try await store.delete(record.id) } == .recordingNotFound)
    #expect(file.size == UInt64(bytes.count))
    #expect(try await Data(file.read(at: 0, count: 1 << 30)) == bytes)
    #expect(try await Data(file.read(at: 199_990, count: 20)) == bytes.suffix(10))
    #expect(try await file.read(at: 200_000, count: 1).isEmpty)
    #expect(try await file.read(at: .max, count: .max).isEmpty)
    #expect(try await file.read(at: 0, count: -1).isEmpty)
  }

  @Test func onlyEmptyFoldersGoWithARecording() async throws {
    let store = try folder.open()
    let record = try await store.recording("x/y/a", Data([1]))
    try folder.write("x/theirs.txt", Data([2]))
    try await store.delete(record.id)
    #expect(!folder.has("x/y"))
    #expect(try folder.bytes("x/theirs.txt") == Data([2]))
  }

  /// Of a recording that runs, only the whole fragments can be read.
  @Test func aRecordingThatRunsIsReadAsFarAsItPlays() async throws {
    let store = try folder.open()
    var record = try await store.reserve("a")
    #expect(await refused { _ = try await store.open(record.id) } == .recordingInProgress)
    try folder.write("a.mp4", Data(0..<100))
    record.state = .recording
    record.tally.fileSize = 10
    store.update(record)
    let file = try await store.open(record.id)
    #expect(file.size == 10)
    #expect(try await file.read(at: 5, count: 50) == Array(5..<10))
    #expect(await refused { try await store.delete(record.id) } == .recordingInProgress)
    record.tally.fileSize = 100
    try await store.finish(record)
    #expect(try await file.read(at: 5, count: 50) == Array(5..<55))
  }

  @Test func unknownRecordingsAreNotFound() async throws {
    let store = try folder.open()
    #expect(await refused { _ = try await store.record("x") } == .recordingNotFound)
    #expect(await refused { _ = try await store.open("../x") } == .recordingNotFound)
    #expect(await refused { try await store.delete("") } == .recordingNotFound)
    #expect(await refused { try await store.finish(StoreFolder.record("x", file: "a.mp4")) } == .recordingNotFound)
  }
}

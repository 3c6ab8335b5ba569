import CaptureCore
import Foundation
import Testing

@testable import MovieRecording

/// What a store makes of records whose files it does not change.
@Suite struct RecordingRecordRepairTests {
  private let folder = StoreFolder()

  /// A file of which nothing plays is neither changed nor deleted.
  @Test(arguments: [Data(), Data("this is no movie".utf8), Data(count: 100)])
  func aFileThatDoesNotPlayStays(bytes: Data) async throws {
    try folder.write("a.mp4", bytes)
    try folder.write(StoreFolder.record("a", file: "a.mp4"))
    let store = try folder.open()
    let record = try await store.record("a")
    #expect(record.state == .finished)
    #expect(!record.isUsable)
    #expect(
      record.end == .interrupted("The daemon ended before the recording was finished. Nothing of its file plays."))
    #expect(try folder.bytes("a.mp4") == bytes)
    #expect(folder.log.all.count == 1)
    #expect(folder.log.all[0].contains("warning"))
    try await store.delete("a")
    #expect(!folder.has("a.mp4"))
  }

  /// A client was told of this recording, so the record stays until a client deletes it.
  @Test func aRecordingWithoutAFileIsKept() async throws {
    try folder.write(StoreFolder.record("a", file: "sub/a.mp4"))
    let store = try folder.open()
    let record = try await store.record("a")
    #expect(
      record.end == .interrupted("The daemon ended before the recording was finished. Its file was not made yet."))
    #expect(!record.isUsable)
    #expect(record.state == .finished)
    await store.close()
    #expect(try await folder.open().records() == [record])
    #expect(folder.log.all.count == 1)
  }

  /// The daemon ended after it had reserved a segment, or could not remove what it had reserved.
  @Test(arguments: [RecordingRecord.State.recording, .finished])
  func aSegmentWithoutAFileLeavesNoRecord(_ state: RecordingRecord.State) async throws {
    var record = StoreFolder.record("a", file: "sub/a.mp4")
    record.isSegment = true
    record.state = state
    try folder.write(record)
    #expect(try await folder.open().records() == [])
    #expect(!folder.has(".firstlight/a.json"))
    #expect(folder.log.all.count == 1)
    #expect(!folder.log.all[0].contains("warning"))
  }

  @Test func aFinishedRecordingIsNeverChanged() async throws {
    var record = StoreFolder.record("a", file: "a.mp4")
    record.state = .finished
    record.end = .stopped
    record.tally.fileSize = 12
    try folder.write(record)
    let bytes = try folder.bytes(".firstlight/a.json")
    try folder.write("a.mp4", Data("some content".utf8))
    let store = try folder.open()
    record.isUsable = true
    #expect(try await store.record("a") == record)
    #expect(try folder.bytes(".firstlight/a.json") == bytes)
    #expect(try folder.bytes("a.mp4") == Data("some content".utf8))
    #expect(folder.log.all.isEmpty)
  }

  /// Records that were damaged or changed by hand are set aside.
  @Test func whatIsNoRecordIsSetAside() async throws {
    var whole = StoreFolder.record("whole", file: "whole.mp4")
    whole.state = .finished
    try folder.write(whole)
    try folder.write("whole.mp4", Data([1]))
    let text = try JSONEncoder().encode(StoreFolder.record("cut", file: "cut.mp4"))
    try folder.write(".firstlight/cut.json", text.dropLast(5))
    try folder.write(".firstlight/empty.json", Data())
    try folder.write(".firstlight/renamed.json", text)
    try folder.write(StoreFolder.record("escape", file: "../escape.mp4"))
    try folder.write(StoreFolder.record("absolute", file: "/tmp/absolute.mp4"))
    try folder.write(".firstlight/draft.json.new", text)
    try folder.write("theirs.mp4", Data([2]))
    let store = try folder.open()
    #expect(try await store.records().map(\.id) == ["whole"])
    for name in ["cut", "empty", "renamed", "escape", "absolute"] {
      #expect(folder.has(".firstlight/\(name).json.damaged"), "\(name)")
      #expect(!folder.has(".firstlight/\(name).json"), "\(name)")
    }
    #expect(!folder.has(".firstlight/draft.json.new"))
    #expect(try folder.bytes("theirs.mp4") == Data([2]))
    #expect(folder.log.all.count == 1)
    #expect(folder.log.all[0].contains("cut.json"))
  }

  /// A pipe must not hold the daemon, and a link must not lead it elsewhere.
  @Test func whatIsNoFileIsNotOpened() async throws {
    try folder.write(StoreFolder.record("pipe", file: "pipe.mp4"))
    try folder.write(StoreFolder.record("link", file: "link.mp4"))
    let outside = StoreFolder()
    try outside.write("b.mp4", Data(count: 100))
    mkfifo(folder.path("pipe.mp4"), 0o600)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.mp4"), withDestinationPath: outside.path("b.mp4"))
    let records = try await folder.open().records()
    #expect(records.map(\.state) == [.finished, .finished])
    #expect(records.map(\.tally.fileSize) == [0, 0])
    #expect(try outside.bytes("b.mp4") == Data(count: 100))
  }
}

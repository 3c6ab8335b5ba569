import CaptureCore
import Foundation
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// What the folder does with the segments of continuous recordings.
struct SegmentStoreTests {
  private let folder = StoreFolder()

  private static func plan(_ retention: Retention = Retention(), session: String = "s1") -> SegmentPlan {
    SegmentPlan(
      session: session, output: "movie", settings: RecordingSettings(), duration: 1, retention: retention,
      size: Size(width: 256, height: 96))
  }

  /// Deletes what is not kept, on the store's thread.
  private func retain(_ retention: Retention, of session: String = "s1", in store: RecordingStore) async throws {
    try await store.thread.perform { () throws(CaptureError) in store.retain(retention, of: session) }
  }

  /// Adds a finished segment of ten bytes that began at this second.
  private func segment(
    _ second: UInt64, in store: RecordingStore, session: String = "s1", _ retention: Retention = Retention()
  ) async throws -> RecordingRecord {
    let plan = Self.plan(retention, session: session)
    var record = try await store.thread.perform { () throws(CaptureError) in
      try! store.segments.reserve(plan, startingAt: MonotonicInstant(nanoseconds: second * 1_000_000_000))
    }
    try Data(count: 10).write(to: URL(fileURLWithPath: store.path(of: record)))
    record.tally.fileSize = 10
    record.end = .nextSegment
    store.segments.segmentEnded(record, retention)
    return record
  }

  @Test func aSegmentIsOnTheDiskFromItsStart() async throws {
    let store = try folder.open()
    let stamp = MonotonicInstant(nanoseconds: 77)
    let record = try await store.thread.perform { () throws(CaptureError) in
      try! store.segments.reserve(Self.plan(), startingAt: stamp)
    }
    let saved = try folder.record(record.id)
    #expect(saved == record)
    #expect(saved.isSegment && saved.startMonotonic == stamp && saved.state == .recording)
    #expect(saved.requestTime == saved.startTime)
    #expect(saved.file.hasPrefix("s1/") && saved.file.hasSuffix("-\(saved.id).mp4"))
  }

  @Test func aSegmentTellsItsPlaceAndItsBoot() async throws {
    let store = try folder.open(boot: "now")
    let first = try await segment(1, in: store)
    let second = try await segment(2, in: store)
    #expect(try await store.record(first.id).boot == "now")
    await store.close()
    let again = try folder.open(boot: "later")
    let third = try await segment(3, in: again)
    _ = try await again.records()
    let saved = try [first, second, third].map { try folder.record($0.id) }
    #expect(saved.map(\.number) == [1, 2, 3])
    #expect(saved.map(\.boot) == ["now", "now", "later"])
  }

  @Test func aSegmentWithoutAnythingLeavesNoRecord() async throws {
    let store = try folder.open()
    let record = try await store.thread.perform { () throws(CaptureError) in
      try! store.segments.reserve(Self.plan(), startingAt: MonotonicInstant(nanoseconds: 1))
    }
    store.segments.segmentEnded(record, Retention())
    #expect(try await store.records() == [])
    #expect(!folder.has(".firstlight/\(record.id).json"))
    #expect(!folder.has("s1"))
  }

  @Test func onlyFinishedSegmentsOfTheSessionGo() async throws {
    let store = try folder.open()
    let client = try await store.recording("kept", Data(count: 100))
    let other = try await segment(1, in: store, session: "s2")
    let first = try await segment(2, in: store)
    let second = try await segment(3, in: store)
    let open = try await store.open(first.id)
    let running = try await store.thread.perform { () throws(CaptureError) in
      try! store.segments.reserve(Self.plan(), startingAt: MonotonicInstant(nanoseconds: 4))
    }
    try await retain(Retention(maximumBytes: 10), in: store)
    #expect(Set(try await store.records().map(\.id)) == [client.id, other.id, second.id, running.id])
    #expect(!folder.has(first.file) && folder.has(second.file))
    #expect(try await open.read(at: 0, count: 10) == [UInt8](repeating: 0, count: 10), "a download goes on")
    #expect(store.segments.counters.now.segmentsDeleted == 1)
  }

  @Test func aSegmentThatEndsMakesTheOldestGo() async throws {
    let store = try folder.open()
    let retention = Retention(maximumBytes: 20)
    let first = try await segment(1, in: store, retention)
    let second = try await segment(2, in: store, retention)
    let third = try await segment(3, in: store, retention)
    #expect(Set(try await store.records().map(\.id)) == [second.id, third.id])
    #expect(!folder.has(first.file))
    #expect(store.segments.counters.now.segmentsFinished == 3)
  }

  @Test func withoutSpaceNoSegmentBegins() async throws {
    let store = try folder.open()
    let old = try await segment(1, in: store)
    let refusal = try await store.thread.perform { () throws(CaptureError) in
      do throws(SegmentRefusal) {
        _ = try store.segments.reserve(
          Self.plan(Retention(minimumFreeSpace: .bytes(.max))), startingAt: MonotonicInstant(nanoseconds: 2))
        return nil as RecordingEnd?
      } catch { return error.end }
    }
    #expect(refusal == .minimumFreeSpace)
    #expect(try await store.records() == [])
    #expect(!folder.has(old.file))
  }

  /// The segments of a daemon that ended are still segments.
  @Test func segmentsStaySegmentsOverAStart() async throws {
    let store = try folder.open()
    let first = try await segment(1, in: store)
    await store.close()
    let again = try folder.open()
    #expect(try await again.records().map(\.isSegment) == [true])
    try await retain(Retention(maximumAge: 0), in: again)
    #expect(!folder.has(first.file))
  }

  /// The wall clock was an hour ahead when the first two segments were recorded, and was put right then.
  @Test func theOldestGoesWhateverTheWallClockSaid() async throws {
    let now = MonotonicInstant.now().nanoseconds / 1_000_000_000
    let store = try folder.open()
    let first = try await segment(now + 3601, in: store)
    let second = try await segment(now + 3602, in: store)
    await store.close()
    let again = try folder.open()
    let third = try await segment(now, in: again)
    try await retain(Retention(maximumBytes: 20), in: again)
    #expect(Set(try await again.records().map(\.id)) == [second.id, third.id])
    #expect(!folder.has(first.file))
  }

  /// A folder lies where the file of the oldest segment was, so that segment cannot be deleted at first.
  @Test func aDeletionThatFailedIsTriedAgain() async throws {
    let store = try folder.open()
    var segments: [RecordingRecord] = []
    for second in 1...3 { segments.append(try await segment(UInt64(second), in: store)) }
    _ = try await store.records()
    try FileManager.default.removeItem(atPath: folder.path(segments[0].file))
    try folder.write(segments[0].file + "/kept", Data([1]))
    for _ in 0..<2 { try await retain(Retention(maximumBytes: 20), in: store) }
    #expect(Set(try await store.records().map(\.id)) == [segments[0].id, segments[2].id])
    #expect(folder.log.all.filter { $0.contains("Segments cannot be deleted.") }.count == 1)
    try FileManager.default.removeItem(atPath: folder.path(segments[0].file))
    try await retain(Retention(maximumBytes: 10), in: store)
    #expect(try await store.records().map(\.id) == [segments[2].id])
  }

  @Test func aFullFolderLosesTheOldestSegment() async throws {
    let store = try folder.open(capacity: 100)
    let client = try await store.recording("kept", Data(count: 10))
    let limited = Retention(maximumAge: .max)
    var segments: [RecordingRecord] = []
    for second in 1...99 { segments.append(try await segment(UInt64(second), in: store, limited)) }
    // A place in a hundred stays for clients.
    #expect(Set(try await store.records().map(\.id)) == Set(segments.dropFirst().map(\.id) + [client.id]))
    _ = try await store.recording("second", Data(count: 10))
    let refusal = try await store.thread.perform { () throws(CaptureError) in
      do throws(SegmentRefusal) {
        return (try store.segments.reserve(Self.plan(session: "s2"), startingAt: MonotonicInstant(nanoseconds: 1))).end
      } catch { return error.end }
    }
    guard case .failed(let error) = refusal else { return #expect(Bool(false), "\(refusal as Any)") }
    #expect(error.reason == .tooManyRequests)
    #expect(folder.log.all.isEmpty)
  }

  @Test func aFolderThatFillsUpIsToldOnce() async throws {
    let store = try folder.open(capacity: 100)
    for second in 1...85 { _ = try await segment(UInt64(second), in: store) }
    #expect(try await store.records().count == 85)
    #expect(folder.log.all.filter { $0.contains("The folder of recordings is nearly full") }.count == 1)
  }

  /// A folder lies where the draft of the record should be.
  @Test func aSegmentThatCannotBeSavedIsFinishedAndSaysWhy() async throws {
    let store = try folder.open()
    let began = try await store.thread.perform { () throws(CaptureError) in
      try! store.segments.reserve(Self.plan(), startingAt: MonotonicInstant(nanoseconds: 1))
    }
    var record = began
    try folder.write(record.file, Data(count: 10))
    record.tally.fileSize = 10
    record.end = .nextSegment
    try folder.write(".firstlight/\(record.id).json.new/kept", Data([1]))
    store.segments.segmentEnded(record, Retention())
    let found = try await store.record(record.id)
    #expect(found.state == .finished && found.tally.fileSize == 10)
    guard case .failed(let error) = found.end else { return #expect(Bool(false), "\(found)") }
    #expect(error.errorNumber == EISDIR)
    #expect(store.segments.counters.now.failures == 1 && store.segments.counters.now.segmentsFinished == 0)
    try await store.delete(record.id)
    #expect(!folder.has(record.file))
  }

  /// Nothing of the segment plays, and a folder lies where its file was.
  @Test func aSegmentThatCannotBeRemovedIsFinished() async throws {
    let store = try folder.open()
    let record = try await store.thread.perform { () throws(CaptureError) in
      try! store.segments.reserve(Self.plan(), startingAt: MonotonicInstant(nanoseconds: 1))
    }
    try folder.write(record.file + "/kept", Data([1]))
    store.segments.segmentEnded(record, Retention())
    #expect(try await store.record(record.id).state == .finished)
    #expect(store.segments.counters.now.failures == 1)
  }
}

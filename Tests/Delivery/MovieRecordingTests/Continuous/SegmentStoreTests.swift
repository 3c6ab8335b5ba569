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

  /// Adds a finished segment of ten bytes that began at this second.
  private func segment(
    _ second: UInt64, in store: RecordingStore, session: String = "s1", _ retention: Retention = Retention()
  ) async throws -> RecordingRecord {
    let plan = Self.plan(retention, session: session)
    var record = try await store.thread.perform { () throws(CaptureError) in
      try! store.reserve(plan, startingAt: MonotonicInstant(nanoseconds: second * 1_000_000_000))
    }
    try Data(count: 10).write(to: URL(fileURLWithPath: store.path(of: record)))
    record.tally.fileSize = 10
    record.end = .nextSegment
    store.segmentEnded(record, retention)
    return record
  }

  @Test func aSegmentIsOnTheDiskFromItsStart() async throws {
    let store = try folder.open()
    let stamp = MonotonicInstant(nanoseconds: 77)
    let record = try await store.thread.perform { () throws(CaptureError) in
      try! store.reserve(Self.plan(), startingAt: stamp)
    }
    let saved = try folder.record(record.id)
    #expect(saved == record)
    #expect(saved.isSegment && saved.startMonotonic == stamp && saved.state == .recording)
    #expect(saved.requestTime == saved.startTime)
    #expect(saved.file.hasPrefix("s1/") && saved.file.hasSuffix("-\(saved.id).mp4"))
  }

  @Test func aSegmentWithoutAnythingLeavesNoRecord() async throws {
    let store = try folder.open()
    let record = try await store.thread.perform { () throws(CaptureError) in
      try! store.reserve(Self.plan(), startingAt: MonotonicInstant(nanoseconds: 1))
    }
    store.segmentEnded(record, Retention())
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
      try! store.reserve(Self.plan(), startingAt: MonotonicInstant(nanoseconds: 4))
    }
    store.retain(Retention(maximumBytes: 10), of: "s1")
    #expect(Set(try await store.records().map(\.id)) == [client.id, other.id, second.id, running.id])
    #expect(!folder.has(first.file) && folder.has(second.file))
    #expect(try await open.read(at: 0, count: 10) == [UInt8](repeating: 0, count: 10), "a download goes on")
    #expect(store.counters.now.segmentsDeleted == 1)
  }

  @Test func aSegmentThatEndsMakesTheOldestGo() async throws {
    let store = try folder.open()
    let retention = Retention(maximumBytes: 20)
    let first = try await segment(1, in: store, retention)
    let second = try await segment(2, in: store, retention)
    let third = try await segment(3, in: store, retention)
    #expect(Set(try await store.records().map(\.id)) == [second.id, third.id])
    #expect(!folder.has(first.file))
    #expect(store.counters.now.segmentsFinished == 3)
  }

  @Test func withoutSpaceNoSegmentBegins() async throws {
    let store = try folder.open()
    let old = try await segment(1, in: store)
    let refusal = try await store.thread.perform { () throws(CaptureError) in
      do throws(SegmentRefusal) {
        _ = try store.reserve(
          Self.plan(Retention(minimumFreeSpace: .max)), startingAt: MonotonicInstant(nanoseconds: 2))
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
    again.retain(Retention(maximumAge: 0), of: "s1")
    #expect(!folder.has(first.file))
  }
}

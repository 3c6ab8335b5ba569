import CaptureCore
import Foundation
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Records as values, and their form on the disk.
@Suite struct RecordingRecordTests {
  private static let error = CaptureError(.deviceDisconnected, "The camera is gone.", metadata: ["device": "x"])

  @Test(
    arguments: [
      nil, .stopped, .maximumDuration, .maximumFileSize, .minimumFreeSpace, .session(error), .failed(error),
      .interrupted("Why."),
    ] as [RecordingEnd?])
  func theFormOnTheDiskKeepsEverything(end: RecordingEnd?) throws {
    var record = StoreFolder.record("ab", file: "a/b.mkv", container: .matroska, time: UInt64.max - 1)
    record.startTime = WallInstant(nanoseconds: 1_770_091_506_007_999_999)
    record.startMonotonic = MonotonicInstant(nanoseconds: 5)
    record.duration = 7
    record.tally.frames = 8
    record.tally.fileSize = 9
    record.tally.dropped = DropCounts(late: 1, outOfBuffers: 2, discontinuity: 3, damaged: 4)
    record.isOptimizedForNetworkUse = true
    record.end = end
    let bytes = try JSONEncoder().encode(record)
    #expect(try JSONDecoder().decode(RecordingRecord.self, from: bytes) == record)
  }

  /// The daemon adds such numbers up, and must not trap because somebody changed a record by hand.
  @Test func aNumberThatNoRecordingHasIsRefused() throws {
    let numbers = [
      \RecordingRecord.duration, \.tally.fileSize, \.tally.frames, \.tally.dropped.late, \.tally.dropped.outOfBuffers,
      \.tally.dropped.discontinuity, \.tally.dropped.damaged,
    ]
    for number in numbers {
      var record = StoreFolder.record("ab", file: "a.mp4")
      record[keyPath: number] = .max
      let bytes = try JSONEncoder().encode(record)
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(RecordingRecord.self, from: bytes) }
    }
  }

  /// Another version of the daemon may know more reasons.
  @Test func anUnknownReasonIsAFailure() throws {
    var record = StoreFolder.record("ab", file: "a.mp4")
    record.end = .failed(Self.error)
    let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
      .replacingOccurrences(of: "DEVICE_DISCONNECTED", with: "NEWER_REASON")
    let decoded = try JSONDecoder().decode(RecordingRecord.self, from: Data(text.utf8))
    guard case .failed(let error) = decoded.end else { return #expect(Bool(false), "\(decoded)") }
    #expect(error.reason == .processingFailed)
    #expect(error.message == Self.error.message)
  }

  @Test func aRecordingOverlapsTheTimesInWhichItRan() {
    func instant(_ time: UInt64) -> WallInstant { WallInstant(nanoseconds: time) }
    var record = StoreFolder.record("ab", file: "a.mp4", time: 90)
    #expect(record.overlaps(instant(90)..<instant(91)))
    #expect(!record.overlaps(instant(91)..<instant(200)))
    record.startTime = instant(100)
    record.duration = 10
    #expect(!record.overlaps(instant(0)..<instant(100)))
    #expect(record.overlaps(instant(0)..<instant(101)))
    #expect(record.overlaps(instant(109)..<instant(200)))
    #expect(!record.overlaps(instant(110)..<instant(200)))
  }
}

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
    record.device = "synthetic-0"
    record.pauses = [RecordingPause(movieTime: 1, duration: 2), RecordingPause(movieTime: 3, duration: 4)]
    record.form = MovieForm(digests: [0: .max, 2: 1])
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

  /// Pauses that no recorder writes would overflow a sum or make parts of a negative length.
  @Test func pausesThatNoRecordingHasAreRefused() throws {
    let year: UInt64 = 31_536_000_000_000_000
    let refused: [[RecordingPause]] = [
      [RecordingPause(movieTime: 5, duration: 1), RecordingPause(movieTime: 4, duration: 1)],
      (1...20).map { RecordingPause(movieTime: $0, duration: year) },
      (0...UInt64(RecordingPause.maximumCount)).map { RecordingPause(movieTime: $0, duration: 1) },
    ]
    for pauses in refused {
      var record = StoreFolder.record("ab", file: "a.mp4")
      record.pauses = pauses
      let bytes = try JSONEncoder().encode(record)
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(RecordingRecord.self, from: bytes) }
    }
  }

  @Test func aRecordWithAllItsPausesFitsIntoItsFile() async throws {
    let folder = StoreFolder()
    var record = StoreFolder.record("ab", file: "a.mp4")
    record.pauses = (0..<UInt64(RecordingPause.maximumCount)).map { number in
      RecordingPause(movieTime: 10_000_000_000_000_000 + number, duration: 600_000_000_000_000)
    }
    record.audioTracks = ["left", "right"].map {
      AudioConnection(input: $0, format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    }
    // Nothing of it plays, so that no start of a store looks for its file.
    (record.state, record.end) = (.finished, .stopped)
    try folder.open().folder.records.write(record)
    #expect(try await folder.open().record(record.id).pauses == record.pauses)
  }

  @Test func partsLieBetweenThePauses() {
    var record = StoreFolder.record("ab", file: "a.mp4")
    record.duration = 100
    #expect(record.parts == [RecordingPart(movieTimes: 0..<100, leftOut: 0)])
    record.pauses = [
      RecordingPause(movieTime: 30, duration: 5), RecordingPause(movieTime: 60, duration: 7),
      // Nothing after it plays.
      RecordingPause(movieTime: 100, duration: 9),
    ]
    #expect(
      record.parts == [
        RecordingPart(movieTimes: 0..<30, leftOut: 0), RecordingPart(movieTimes: 30..<60, leftOut: 5),
        RecordingPart(movieTimes: 60..<100, leftOut: 12),
      ])
    #expect(record.parts.map(\.start) == [0, 35, 72])
    #expect(record.extent == 112)
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
    record.pauses = [RecordingPause(movieTime: 5, duration: 20)]
    #expect(record.overlaps(instant(129)..<instant(200)))
    #expect(!record.overlaps(instant(130)..<instant(200)))
  }
}

import CaptureCore
import CaptureTestKit
import Foundation
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Movies of spans of recordings that get another file meanwhile. The limit only ends a broken test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct OptimizedExportTests {
  private let folder = StoreFolder()

  /// One more recording than an export has open, one after the other.
  private func recordings(_ store: RecordingStore) async throws -> [RecordingRecord] {
    let movie = try await ShortMovie(.mp4)
    var records: [RecordingRecord] = []
    for number in 0...ExportReader.maximumFiles {
      records.append(
        try await store.finishing("\(number)", movie, .mp4, at: UInt64(number + 1) * 2_000_000_000))
    }
    return records
  }

  private func whole(_ reader: ExportReader) async throws(CaptureError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = try await reader.read(at: UInt64(bytes.count), count: 10_000)
      if part.isEmpty { return bytes }
      bytes += part
    }
  }

  /// An export reads the files that it has open. It ends with an error before it reads another file at wrong places.
  @Test func anExportNeverReadsAnotherFile() async throws {
    let store = try folder.open()
    let exports = RecordingExports(of: Recordings { .success(store) })
    let records = try await recordings(store)
    // The span does not begin with a key frame, so that its first frames are encoded anew each time.
    let span = ExportSpan(session: "s1", start: WallInstant(nanoseconds: 2_100_000_000), duration: 10_000_000_000)
    let before = try await exports.open(span)
    let bytes = try await whole(before)
    let (early, late) = (try await exports.open(span), try await exports.open(span))
    #expect(early.movie.tag == before.movie.tag)

    // Each of these has the first files open.
    _ = await store.optimize(records[0], by: SeekableCopies(), leaving: 0)
    #expect(try await whole(early) == bytes)
    _ = await store.optimize(records[4], by: SeekableCopies(), leaving: 0)
    let error = await #expect(throws: CaptureError.self) { _ = try await whole(late) }
    #expect(error?.reason == .operationInterrupted)

    // The movie of the new files has the same bytes, so parts of both fit together.
    let after = try await exports.open(span, size: before.movie.size)
    #expect(try await whole(after) == bytes)
    #expect(after.movie.tag == before.movie.tag)
  }
}

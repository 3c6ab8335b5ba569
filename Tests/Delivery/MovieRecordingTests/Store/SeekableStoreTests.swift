import CaptureCore
import CaptureTestKit
import Foundation
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Recordings whose file is replaced by one with its index in front. The limit only ends a broken test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct SeekableStoreTests {
  private let folder = StoreFolder()

  /// The drafts of movies in the folder. The store's thread may have a draft of a record there at any time.
  private var drafts: [String] {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(".firstlight"))
      return names.filter { $0.hasSuffix(".movie.new") }
    }
  }

  private func boards(_ path: String) throws -> [Int?] {
    let (boards, messages) = try MediaTools.boards(path, Size(width: 256, height: 96))
    #expect(messages.isEmpty)
    return boards.map { $0.map { Int($0.sequence) } }
  }

  @Test(arguments: [MovieContainer.mp4, .mov]) func theIndexComesToTheFront(_ container: MovieContainer) async throws {
    let movie = try await ShortMovie(container)
    let store = try folder.open()
    var record = try await store.finishing("day/a", movie, container)
    record = await store.optimize(record, by: SeekableCopies(), leaving: 0)
    #expect(record.isOptimizedForNetworkUse)
    #expect(record.state == .finishing)
    let boxes = try MediaTools.boxes(store.path(of: record))
    #expect(!boxes.contains("moof"))
    #expect(try #require(boxes.firstIndex(of: "moov")) < #require(boxes.firstIndex(of: "mdat")))
    #expect(try UInt64(folder.bytes(record.file).count) == record.tally.fileSize)
    #expect(try boards(store.path(of: record)) == Array(0..<ShortMovie.frameCount))
    #expect(try drafts == [])
    try await store.finish(record)
    #expect(try folder.record(record.id).isOptimizedForNetworkUse)
    #expect(folder.log.all == [])
  }

  /// Each file keeps its own length, whatever the recorder of the old one tells afterwards.
  @Test func anOpenFileStaysTheOldMovie() async throws {
    let movie = try await ShortMovie(.mp4)
    let store = try folder.open()
    let record = try await store.finishing("a", movie, .mp4)
    let old = try await store.open(record.id)
    let optimized = await store.optimize(record, by: SeekableCopies(), leaving: 0)
    store.update(record)
    let new = try await store.open(record.id)
    try await store.finish(optimized)
    #expect(try await Data(old.read(at: 0, count: 1 << 20)) == movie.bytes)
    #expect(try await Data(new.read(at: 0, count: 1 << 20)) == folder.bytes("a.mp4"))
    #expect([old.isOptimizedForNetworkUse, new.isOptimizedForNetworkUse] == [false, true])
    #expect(new.size == optimized.tally.fileSize)
    #expect(old.size == UInt64(movie.bytes.count))
    #expect(old.size != new.size)
  }

  enum Failure: CaseIterable { case cancelled, noSpace, missingFrame, missingFile }

  /// No failure costs the recording, and the log says what happened.
  @Test(arguments: Failure.allCases) func aCopyThatFailsLeavesTheRecordingAsItIs(_ failure: Failure) async throws {
    let movie = try await ShortMovie(.mp4)
    let (store, copies) = (try folder.open(), SeekableCopies())
    var record = try await store.finishing("a", movie, .mp4)
    switch failure {
    case .cancelled: copies.cancel()
    case .noSpace: break
    case .missingFrame: record.tally.frames += 1
    case .missingFile: try FileManager.default.removeItem(atPath: folder.path("a.mp4"))
    }
    let same = await store.optimize(record, by: copies, leaving: failure == .noSpace ? .max : 0)
    #expect(same == record)
    if failure == .missingFile {
      #expect(!folder.has("a.mp4"))
    } else {
      #expect(try folder.bytes("a.mp4") == movie.bytes)
    }
    #expect(try drafts == [])
    let reason: String =
      switch failure {
      case .cancelled: "The daemon is shutting down."
      case .noSpace: "must stay free"
      case .missingFrame: "The copy has 45 of 46 frames."
      case .missingFile: "No such file or directory"
      }
    #expect(folder.log.all.count == 1)
    #expect(folder.log.all[0].contains(reason))
    try await store.finish(same)
    #expect(try !folder.record(record.id).isOptimizedForNetworkUse)
  }

  /// A copy is put on the storage in parts, and may end before each sample.
  @Test func aCopyGoesToTheStorageInParts() async throws {
    let movie = try await ShortMovie(.mp4)
    let store = try folder.open()
    let record = try await store.finishing("a", movie, .mp4)
    let draft = SeekableDraft(folder: store.folder, record: record, freeSpace: 0, syncInterval: 1000)
    let size = try draft.make { false }
    #expect(try folder.bytes(".firstlight/\(record.id).movie.new").count == size)
    var calls = 0
    let error = #expect(throws: CaptureError.self) {
      _ = try draft.make {
        calls += 1
        return calls > ShortMovie.frameCount
      }
    }
    #expect(error?.reason == .operationInterrupted)
    #expect(try drafts == [])
  }

  /// The daemon ended while it made the copy.
  @Test func aDraftThatIsLeftGoesAtTheNextStart() async throws {
    let movie = try await ShortMovie(.mp4)
    try folder.write("a.mp4", movie.bytes)
    try folder.write(StoreFolder.record("a", file: "a.mp4"))
    try folder.write(".firstlight/a.movie.new", movie.bytes.prefix(1000))
    let record = try await folder.open().record("a")
    #expect(try drafts == [])
    #expect(record.tally.frames == UInt64(ShortMovie.frameCount))
    #expect(!record.isOptimizedForNetworkUse)
    #expect(try folder.bytes("a.mp4") == movie.bytes)
  }

  /// The daemon ended after it had replaced the file, and before the record said so.
  @Test(arguments: [MovieContainer.mp4, .mov]) func anUnfinishedRecordLearnsOfTheNewFile(
    _ container: MovieContainer
  ) async throws {
    let movie = try await ShortMovie(container)
    var store = try folder.open()
    let record = await store.optimize(
      try await store.finishing("a", movie, container), by: SeekableCopies(), leaving: 0)
    let bytes = try folder.bytes(record.file)
    await store.close()
    store = try folder.open()
    let repaired = try await store.record(record.id)
    #expect(repaired.isOptimizedForNetworkUse)
    #expect(repaired.isUsable)
    #expect(repaired.end == .interrupted("The daemon ended before the recording was finished."))
    #expect(repaired.tally == record.tally)
    #expect(repaired.duration == UInt64(ShortMovie.frameCount) * ShortMovie.period)
    #expect(try folder.bytes(record.file) == bytes)
  }
}

extension RecordingStore {
  /// A recording whose file is complete, and whose record does not say so yet.
  ///
  /// - Parameter time: when the first frame was captured, in nanoseconds since 1970 and on the monotonic clock.
  func finishing(
    _ file: String, _ movie: ShortMovie, _ container: MovieContainer, at time: UInt64 = 1_000_000_000
  ) async throws -> RecordingRecord {
    var record = try await reserve(
      session: "s1", output: "movie", file: file, settings: RecordingSettings(container: container),
      size: Size(width: 256, height: 96))
    try movie.bytes.write(to: URL(fileURLWithPath: path(of: record)))
    record.state = .finishing
    record.startTime = WallInstant(nanoseconds: time)
    record.startMonotonic = MonotonicInstant(nanoseconds: time)
    record.duration = UInt64(ShortMovie.frameCount) * ShortMovie.period
    record.tally.fileSize = UInt64(movie.bytes.count)
    record.tally.frames = UInt64(ShortMovie.frameCount)
    record.end = .stopped
    update(record)
    return record
  }
}

import CaptureCore
import CaptureTestKit
import Foundation
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// What a store makes of a folder whose daemon ended at any moment. The limit only ends a broken test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(2)))
struct RecordingRepairTests {
  private let folder = StoreFolder()

  private static func isInterrupted(_ record: RecordingRecord) -> Bool {
    if case .interrupted = record.end { record.state == .finished } else { false }
  }

  /// FFmpeg judges each size of the repaired files once, because files of one size have the same bytes.
  @Test(arguments: [MovieContainer.mp4, .mov])
  func aFileThatIsCutOffAnywherePlaysItsWholeFragments(container: MovieContainer) async throws {
    let movie = try await ShortMovie(container)
    let fragmentEnds = [10, 20, 30, 40, 45].map { movie.frameEnds[$0 - 1] }
    let cuts = (0..<200).map { _ in Int.random(in: 0...movie.bytes.count) } + fragmentEnds + fragmentEnds.map { $0 - 1 }
    for (index, cut) in cuts.enumerated() {
      let name = "\(index).\(container.fileExtension)"
      try folder.write(name, movie.bytes.prefix(cut))
      try folder.write(StoreFolder.record("\(index)", file: name, container: container))
    }
    let store = try folder.open()
    var judged: Set<Int> = []
    for (index, cut) in cuts.enumerated() {
      let record = try await store.record("\(index)")
      let frames = [10, 20, 30, 40, 45].last { movie.frameEnds[$0 - 1] <= cut } ?? 0
      #expect(Self.isInterrupted(record), "\(cut)")
      #expect(record.tally.frames == frames, "\(cut)")
      #expect(record.duration == UInt64(frames) * ShortMovie.period, "\(cut)")
      #expect(record.isUsable == (frames > 0), "\(cut)")
      #expect(try folder.record(record.id).tally == record.tally)
      let bytes = try folder.bytes(record.file)
      #expect(bytes == movie.bytes.prefix(bytes.count))
      guard frames > 0 else { continue }
      #expect(bytes.count == record.tally.fileSize)
      guard judged.insert(bytes.count).inserted else { continue }
      let (boards, messages) = try MediaTools.boards(store.path(of: record), Size(width: 256, height: 96))
      #expect(boards.map { $0.map { Int($0.sequence) } } == Array(0..<frames))
      #expect(messages.isEmpty, "\(cut): \(messages)")
    }
    #expect(judged.count >= 5)
    #expect(folder.log.all.count == 1, "one line for all")
  }

  /// These containers play as they are.
  @Test(arguments: [MovieContainer.matroska, .mpegTS])
  func aFileOfAnotherContainerKeepsItsBytes(container: MovieContainer) async throws {
    let movie = try await ShortMovie(container)
    let cuts = (0..<20).map { _ in Int.random(in: movie.frameStarts[2]...movie.bytes.count) }
    for (index, cut) in cuts.enumerated() {
      let name = "\(index).\(container.fileExtension)"
      try folder.write(name, movie.bytes.prefix(cut))
      try folder.write(StoreFolder.record("\(index)", file: name, container: container))
    }
    let store = try folder.open()
    for (index, cut) in cuts.enumerated() {
      let record = try await store.record("\(index)")
      // All frames before the last one that has begun are whole.
      let frames = movie.frameStarts.count { $0 <= cut } - 1
      #expect(Self.isInterrupted(record))
      #expect(record.isUsable)
      #expect(try folder.bytes(record.file) == movie.bytes.prefix(cut))
      // FFmpeg may take the beginning of a frame for a frame.
      #expect((frames...frames + 1).contains(Int(record.tally.frames)), "\(cut)")
      let duration = record.tally.frames * ShortMovie.period
      #expect(record.duration + ShortMovie.period + 2_000_000 >= duration, "\(cut)")
      #expect(record.duration <= duration + 2_000_000, "\(cut)")
    }
  }

  /// Zeros are what a file system may leave where the power failed.
  @Test func whatFollowsTheFragmentsIsCutOff() async throws {
    let movie = try await ShortMovie(.mp4)
    try folder.write("a.mp4", movie.bytes.prefix(movie.frameEnds[9]) + Data(count: 5000))
    try folder.write(StoreFolder.record("a", file: "a.mp4"))
    let record = try await folder.open().record("a")
    #expect(record.tally.frames == 10)
    #expect(try folder.bytes("a.mp4") == movie.bytes.prefix(movie.frameEnds[9]))
  }
}

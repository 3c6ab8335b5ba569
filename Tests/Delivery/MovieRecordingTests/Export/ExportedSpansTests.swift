import CaptureCore
import CaptureTestKit
import Foundation
import MovieTestKit
import SystemClocks
import Testing
import VideoCoding

@testable import MovieRecording

/// Which movies can be made of the spans that are listed, judged by FFmpeg's programs. The limit only ends a broken
/// test.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.h264.isAvailable), .timeLimit(.minutes(3)))
struct ExportedSpansTests {
  private static let start: UInt64 = 1_770_000_000_000_000_000
  private let folder = StoreFolder()

  private func add(
    _ movie: ShortMovie, _ container: MovieContainer, at time: UInt64, of device: String = "a",
    to store: RecordingStore
  ) async throws -> RecordingRecord {
    var record = try await store.finishing("\(time)", movie, container, at: Self.start + time)
    (record.device, record.pauses) = (device, movie.pauses)
    try await store.finish(record)
    return record
  }

  /// Random recordings of two cameras: in five forms, one after the other, with gaps, and with pre-rolls that reach
  /// into the recording before.
  @Test func whateverIsListedCanBeExported() async throws {
    let movies: [(MovieContainer, ShortMovie)] = [
      (.mp4, try await ShortMovie(.mp4)), (.mov, try await ShortMovie(.mov)),
      (.mp4, try await ShortMovie(.mp4, quality: 20)),
      (.mp4, try await ShortMovie(.mp4, orientation: Orientation(rotation: .quarter))),
      (.mp4, try await ShortMovie(.mp4, pauses: [11, 30])), (.matroska, try await ShortMovie(.matroska)),
    ]
    for seed in 0..<12 as Range<UInt64> {
      var chance = SeededGenerator(seed: seed)
      let folder = StoreFolder()
      let store = try folder.open()
      var (time, end, all): (UInt64, UInt64, Set<String>) = (0, 0, [])
      var (kind, device) = (0, "a")
      for _ in 0..<10 {
        let before = (kind, device)
        if chance.next() % 3 == 0 { kind = .random(in: movies.indices, using: &chance) }
        if chance.next() % 5 == 0 { device = device == "a" ? "b" : "a" }
        time = end
        if chance.next() % 4 == 0 { time += .random(in: 1...3_000_000_000, using: &chance) }
        // A change of anything else than the container ends what a pre-roll has kept.
        let isSameForm = [0, 1, 4, 5].contains(kind) && [0, 1, 4, 5].contains(before.0) && before.1 == device
        if isSameForm, end > 0, chance.next() % 3 == 0 { time -= .random(in: 1...1_500_000_000, using: &chance) }
        let record = try await add(movies[kind].1, movies[kind].0, at: time, of: device, to: store)
        end = max(end, time + record.extent)
        if record.container.hasIndex { all.insert(record.id) }
      }
      let recordings = Recordings { .success(store) }
      let exports = RecordingExports(of: recordings)
      let spans = try await recordings.spans { _ in true }
      #expect(Set(spans.flatMap(\.recordings)) == all, "seed \(seed)")
      for span in spans {
        let whole = try await exports.open(
          ExportSpan(session: "s1", start: span.startTime, duration: span.duration)
        ).movie
        #expect(whole.startTime == span.startTime, "seed \(seed)")
        // The frames of a pre-roll come once.
        #expect(whole.duration.distance(to: span.duration).magnitude < 100_000, "seed \(seed)")
        for _ in 0..<3 {
          let begin = UInt64.random(in: 0..<span.duration - ShortMovie.period, using: &chance)
          let duration = UInt64.random(in: 2 * ShortMovie.period...3_000_000_000, using: &chance)
          guard begin + duration <= span.duration else { continue }
          let part = ExportSpan(session: "s1", start: span.startTime + begin, duration: duration)
          let movie = try await exports.open(part).movie
          #expect(part.start <= movie.startTime && movie.startTime < part.start + duration, "seed \(seed)")
        }
      }
    }
  }

  /// A recording with two pauses, and one after it. Each span has exactly the frames that were captured in it.
  @Test func framesAreFoundAtTheTimeAtWhichTheyWereCaptured() async throws {
    let store = try folder.open()
    let movie = try await ShortMovie(.mp4, pauses: [11, 30])
    let first = try await add(movie, .mp4, at: 0, to: store)
    _ = try await add(movie, .mp4, at: first.extent, to: store)
    let exports = RecordingExports(of: Recordings { .success(store) })
    let captured = movie.captureTimes + movie.captureTimes.map { $0 + first.extent }
    var chance = SeededGenerator(seed: 4)
    for _ in 0..<25 {
      // At a frame, or up to a frame before it.
      let begin = captured.randomElement(using: &chance)!
      let start = Self.start + begin - [0, 1, 1000, ShortMovie.period / 2].randomElement(using: &chance)!
      let duration = UInt64.random(in: 1...60, using: &chance) * ShortMovie.period
      let wanted = captured.indices.filter {
        Self.start + captured[$0] >= start && Self.start + captured[$0] < start + duration
      }
      let reader = try await exports.open(
        ExportSpan(session: "s1", start: WallInstant(nanoseconds: start), duration: duration))
      #expect(reader.movie.startTime.nanoseconds == Self.start + captured[wanted[0]])
      let file = TemporaryFile("mp4")
      try await write(reader, to: file.path)
      let (boards, messages) = try MediaTools.boards(file.path, first.size)
      #expect(messages == "")
      #expect(try boards.map { try Int(#require($0).sequence) } == wanted.map { $0 % ShortMovie.frameCount })
      let (packets, ticks) = try ProbedPacket.packets(file.path)
      let shown = packets.map(\.time).filter { $0 >= 0 }.map { UInt64($0) * 1_000_000_000 / UInt64(ticks) }
      for (time, number) in zip(shown, wanted) {
        #expect(time == captured[number] - captured[wanted[0]])
      }
    }
    let pause = ExportSpan(session: "s1", start: WallInstant(nanoseconds: Self.start + 1_000_000_000), duration: 1)
    let error = await #expect(throws: CaptureError.self) { _ = try await exports.open(pause) }
    #expect(error?.reason == .recordingNotFound)
  }

  private func write(_ reader: ExportReader, to path: String) async throws {
    var bytes: [UInt8] = []
    while true {
      let part = try await reader.read(at: UInt64(bytes.count), count: 1 << 20)
      if part.isEmpty { break }
      bytes += part
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// What a record keeps of its file is what an export finds there, also after a daemon that did not end.
  @Test(arguments: [MovieContainer.mp4, .mov])
  func aRecordKeepsTheFormOfItsFile(_ container: MovieContainer) async throws {
    let movie = try await ShortMovie(container)
    let store = try folder.open()
    let record = try await add(movie, container, at: 0, to: store)
    let kept = try await store.record(record.id).form
    let index = try store.openAndWait(record.id).index(of: record, size: record.tally.fileSize)
    #expect(kept != nil && kept == MovieForm(of: index))
    // The same movie in a folder that a daemon left.
    let left = StoreFolder()
    var unfinished = StoreFolder.record("ab", file: "a.\(container.fileExtension)", container: container)
    unfinished.startTime = WallInstant(nanoseconds: Self.start)
    try left.write(unfinished)
    try left.write(unfinished.file, movie.bytes)
    #expect(try await left.open().record("ab").form == kept)
  }
}

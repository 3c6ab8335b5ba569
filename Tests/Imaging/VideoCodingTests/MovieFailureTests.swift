import CaptureCore
import MovieTestKit
import CaptureTestKit
import Foundation
import Testing

@testable import VideoCoding

/// What is left of a movie when the daemon, the machine or the storage fails.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieContainer.isAvailable))
struct MovieFailureTests {
  /// One codec of each kind for each container: what is left of a container does not depend on the codec.
  static let pairs = TestMovie.pairs.filter { $0.1 == .h264 || $0.1 == .motionJPEG }

  /// A sink that notes how long the movie is at the end of each fragment.
  static func write(_ movie: TestMovie, _ container: MovieContainer) throws -> (bytes: [UInt8], ends: [Int]) {
    let sink = MemorySink()
    let muxer = try MovieMuxer(
      container, tracks: [movie.track], sink: sink, creationTime: TestMovie.creationTime)
    var ends = [sink.bytes.count]
    for (index, sample) in movie.samples.enumerated() {
      if index > 0, movie.fragments.contains(index) {
        try muxer.endFragment()
        ends.append(sink.bytes.count)
      }
      try muxer.append(sample)
    }
    try muxer.finish()
    return (sink.bytes, ends)
  }

  /// A file that is cut off anywhere plays all its whole fragments, with a reader that does not look for fragments in
  /// advance. A reader that does so fails when the cut is in the index of a fragment.
  @Test(arguments: pairs) func aCutOffFilePlaysItsWholeFragments(_ pair: (MovieContainer, MovieCodec)) throws {
    let (container, codec) = pair
    let movie = try TestMovie.standard(codec)
    let starts = movie.fragments.sorted()
    let (bytes, ends) = try Self.write(movie, container)
    var generator = SeededGenerator(seed: 11)
    let cuts = ends.dropFirst() + (0..<8).map { _ in Int.random(in: ends[0]..<bytes.count, using: &generator) }
    for cut in cuts {
      let file = TemporaryFile(container.fileExtension)
      try file.write(Array(bytes[..<cut]))
      let whole = ends.lastIndex { $0 <= cut }!
      let least = whole < starts.count ? starts[whole] : movie.samples.count
      let (boards, messages) = try MediaTools.boards(file.path, movie.pictures.size, ["-fflags", "+ignidx"])
      #expect(boards.count >= least, "cut at \(cut) of \(bytes.count): \(messages)")
      #expect(boards.prefix(least).map(\.?.sequence) == (0..<least).map { UInt64($0) }, "cut at \(cut)")
    }
  }

  /// A sink that is full ends the muxer with its own error, also at every later call, and the movie before it plays.
  @Test(arguments: pairs) func aFullSinkEndsTheMovie(_ pair: (MovieContainer, MovieCodec)) throws {
    let (container, codec) = pair
    let movie = try TestMovie.standard(codec)
    let (_, ends) = try Self.write(movie, container)
    let sink = MemorySink(capacity: ends[2] + (ends[3] - ends[2]) / 2)
    let error = #expect(throws: CaptureError.self) { try movie.write(container, to: sink) }
    #expect(error?.errorNumber == ENOSPC && error?.reason == .processingFailed)
    let file = TemporaryFile(container.fileExtension)
    try file.write(sink.bytes)
    let (boards, _) = try MediaTools.boards(file.path, movie.pictures.size)
    #expect(boards.map(\.?.sequence) == (0..<20).map { UInt64($0) })
    #expect(sink.bytes.count == ends[2])
  }

  /// After a failure, the muxer throws the same error again and writes nothing more.
  @Test func aFailureIsFinal() throws {
    let movie = try TestMovie.standard(.motionJPEG)
    let sink = MemorySink(capacity: 20_000)
    let muxer = try MovieMuxer(.mov, tracks: [movie.track], sink: sink)
    var errors: Set<CaptureError> = []
    for sample in movie.samples + movie.samples {
      do {
        try muxer.append(sample)
        try muxer.endFragment()
      } catch { errors.insert(error) }
    }
    do { try muxer.finish() } catch { errors.insert(error) }
    #expect(errors.count == 1 && sink.bytes.count <= 20_000 && sink.bytes.count == Int(muxer.playableCount))
    let error = #expect(throws: CaptureError.self) {
      try MovieMuxer(.mov, tracks: [movie.track], sink: MemorySink(capacity: 10))
    }
    #expect(error?.errorNumber == ENOSPC)
  }

  /// Errors of a file name the system's number. `/dev/full` has no space.
  @Test func aFileNamesTheSystemsError() throws {
    let sink = MovieFileSink(owning: open("/dev/full", O_WRONLY))
    let error = #expect(throws: CaptureError.self) { try [UInt8]([1, 2]).withUnsafeBytes { try sink.write($0) } }
    #expect(error?.errorNumber == ENOSPC && error?.metadata["cause"] == "No space left on device")
    let closed = MovieFileSink(owning: open("/dev/null", O_RDONLY))
    #expect(throws: CaptureError.self) { try [UInt8]([1, 2]).withUnsafeBytes { try closed.write($0) } }
  }

  /// A pipe takes what it can, and the sink goes on; a file can seek and is synced.
  @Test func shortWritesAreCompleted() async throws {
    let pipe = Pipe()
    // The sink closes the pipe when it goes.
    var sink: MovieFileSink? = MovieFileSink(owning: dup(pipe.fileHandleForWriting.fileDescriptor))
    try pipe.fileHandleForWriting.close()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    // The reader needs a thread of its own, because the writer waits for it.
    let reader = pipe.fileHandleForReading
    let read = Task.detached { reader.readDataToEndOfFile() }
    #expect(sink?.canSeek == false)
    try bytes.withUnsafeBytes { try sink!.write($0) }
    sink = nil
    #expect(await Array(read.value) == bytes)
    let file = TemporaryFile("bin")
    let seekable = MovieFileSink(owning: try file.create())
    try [UInt8]([1, 2, 3]).withUnsafeBytes { try seekable.write($0) }
    #expect(seekable.canSeek)
    try seekable.seek(to: 1)
    try [UInt8]([9]).withUnsafeBytes { try seekable.write($0) }
    try seekable.sync()
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: file.path))) == [1, 9, 3])
  }
}

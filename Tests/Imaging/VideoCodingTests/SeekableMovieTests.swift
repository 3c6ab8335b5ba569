import CaptureCore
import MovieTestKit
import CaptureTestKit
import Foundation
import Testing

@testable import VideoCoding

/// Copies of movies with their index in front.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieContainer.isAvailable))
struct SeekableMovieTests {
  static let pairs = TestMovie.pairs.filter { $0.0.hasIndex }

  private func times(_ path: String) throws -> [[Int64]] {
    try ProbedPacket.packets(path).packets.map { [$0.time, $0.decodeTime, $0.isKeyFrame ? 1 : 0] }
  }

  /// The index comes before the samples, no fragment is left, and every packet is what it was.
  @Test(arguments: pairs) func theIndexIsInFront(_ pair: (MovieContainer, MovieCodec)) throws {
    let (container, codec) = pair
    let movie = try TestMovie.standard(codec)
    let source = try movie.file(container)
    let target = TemporaryFile(container.fileExtension)
    try SeekableMovie.copy(from: source.path, to: target.path, as: container)
    #expect(try MediaTools.boxes(source.path).contains("moof"))
    let names = try MediaTools.boxes(target.path)
    #expect(!names.contains("moof"))
    #expect(try #require(names.firstIndex(of: "moov")) < #require(names.firstIndex(of: "mdat")))
    #expect(try times(target.path) == times(source.path))
    func checksums(_ path: String) throws -> [String?] {
      try MediaTools.run("ffprobe", ["-v", "error", "-show_packets", "-show_data_hash", "md5", path]).output
        .split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        .filter { $0.hasPrefix("data_hash") }
    }
    #expect(try checksums(target.path) == checksums(source.path))
    let (boards, messages) = try MediaTools.boards(target.path, movie.pictures.size)
    #expect(boards.map(\.?.sequence) == (0..<40).map { UInt64($0) })
    #expect(messages.isEmpty, "\(messages)")
    let tags = try MediaTools.probe(target.path, "format_tags=creation_time")
    #expect(tags.first?.values.first?.hasPrefix("2026-11-26T07:00:00.") ?? false)
  }

  /// A movie that was cut off anywhere becomes a whole one, also when the cut is in the index of a fragment, where not
  /// all players open it.
  @Test(arguments: pairs) func aCutOffMovieIsRepaired(_ pair: (MovieContainer, MovieCodec)) throws {
    let (container, codec) = pair
    let movie = try TestMovie.standard(codec)
    let (bytes, ends) = try MovieFailureTests.write(movie, container)
    for (fragment, cut) in [(2, ends[2] + 42), (2, ends[2] + 110), (2, (ends[2] + ends[3]) / 2), (3, ends[3])] {
      let (source, target) = (TemporaryFile(container.fileExtension), TemporaryFile(container.fileExtension))
      try source.write(Array(bytes[..<cut]))
      try SeekableMovie.copy(from: source.path, to: target.path, as: container)
      let (boards, messages) = try MediaTools.boards(target.path, movie.pictures.size)
      #expect(boards.count >= 10 * fragment && boards.count < 10 * (fragment + 1))
      #expect(boards.map(\.?.sequence) == boards.indices.map { UInt64($0) })
      #expect(messages.isEmpty, "\(messages)")
    }
  }

  /// A copy that is cancelled, has no space or no source leaves no file and says why.
  @Test func aCopyThatFailsLeavesNothing() throws {
    let movie = try TestMovie.standard(.motionJPEG)
    let source = try movie.file(.mov)
    let target = TemporaryFile("mov")
    var calls = 0
    let cancelled = #expect(throws: CaptureError.self) {
      try SeekableMovie.copy(from: source.path, to: target.path, as: .mov) {
        calls += 1
        return calls > 20
      }
    }
    #expect(cancelled?.reason == .operationInterrupted && calls > 20 && calls < 30)
    #expect(!FileManager.default.fileExists(atPath: target.path))
    let missing = #expect(throws: CaptureError.self) {
      try SeekableMovie.copy(from: "/nowhere.mov", to: target.path, as: .mov)
    }
    #expect(missing?.errorNumber == ENOENT)
    let full = TemporaryFile("mov")
    try FileManager.default.createSymbolicLink(atPath: full.path, withDestinationPath: "/dev/full")
    let error = #expect(throws: CaptureError.self) {
      try SeekableMovie.copy(from: source.path, to: full.path, as: .mov)
    }
    #expect(error?.errorNumber == ENOSPC)
  }

  /// The room that is reserved for the index is enough for many small samples, and not much too large.
  @Test func aLongMovieHasRoomForItsIndex() throws {
    let short = try TestMovie.standard(.motionJPEG)
    let source = TemporaryFile("mov")
    let muxer = try MovieMuxer(.mov, tracks: [short.track], sink: MovieFileSink(owning: source.create()))
    var sample = short.samples[0]
    for number in 0..<20_000 {
      sample.presentationTime = UInt64(number) * 33_000_000 + UInt64(number % 7) * 1_000_000
      sample.decodeTime = sample.presentationTime
      try muxer.append(sample)
      if number % 30 == 29 { try muxer.endFragment() }
    }
    try muxer.finish()
    let target = TemporaryFile("mov")
    try SeekableMovie.copy(from: source.path, to: target.path, as: .mov)
    #expect(try times(target.path) == times(source.path))
    #expect(try times(target.path).count == 20_000)
  }
}

import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import MovieTestKit
import SystemClocks
import Testing

@testable import VideoCoding

/// Pictures that are encoded anew so that a movie can begin with them.
@Suite(.computing, .enabled(if: MediaTools.areInstalled))
struct RecodedGroupTests {
  private static let codecs = [MovieCodec.h264, .hevc].filter(\.isAvailable)

  /// The movie of the pictures from `first` on, of 40 pictures with key frames at 0, 10, 20 and 30.
  private func clip(_ codec: MovieCodec, from first: Int) throws -> (file: TemporaryFile, group: RecodedGroup) {
    let movie = try TestMovie.standard(codec).file(.mp4)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: movie.path)))
    let index = try MovieIndex(
      of: movie.path, container: .mp4, codec: codec, audioCodec: .aac, size: UInt64(bytes.count))
    let samples = index.pictures.samples
    let (start, end) = (first / 10 * 10, first / 10 * 10 + 10)
    func read(_ sample: MovieIndex.Sample) -> [UInt8] { Array(bytes[Int(sample.offset)...].prefix(Int(sample.count))) }
    let group = try RecodedGroup(
      index.pictures.track, Array(samples[start..<end]), from: first - start, read: read,
      next: { end < samples.count ? (samples[end], read(samples[end])) : nil })
    // HEVC has the next key frame, too.
    let rest = samples.dropFirst(first + group.samples.count)
    let all = (group.samples + rest).map {
      MovieHeader.Sample(
        track: 0,
        MovieIndex.Sample(
          offset: 0, count: $0.count, time: $0.time - samples[first].time, isKeyFrame: $0.isKeyFrame))
    }
    let header = try MovieHeader.bytes(
      .mp4, tracks: [(group.track, index.pictures.endTime - samples[first].time)], samples: all, creationTime: 0)
    let file = TemporaryFile("mp4")
    let whole = header + group.bytes + rest.flatMap(read)
    try file.write(whole)
    return (file, group)
  }

  @Test(arguments: codecs, [1, 9, 15, 38])
  func aMovieMayBeginWithThem(_ codec: MovieCodec, _ first: Int) throws {
    let (file, _) = try clip(codec, from: first)
    let pictures = try TestMovie.standard(codec).pictures
    let found = try MediaTools.boards(file.path, pictures.layout.size)
    #expect(found.messages == "")
    #expect(found.boards.map { $0.map { Int($0.sequence) } } == (first..<40).map { $0 })
  }

  @Test(arguments: codecs) func theBytesAreTheSameEachTime(_ codec: MovieCodec) throws {
    let (one, two) = (try clip(codec, from: 13).group, try clip(codec, from: 13).group)
    #expect(one.bytes == two.bytes)
    #expect(one.samples == two.samples)
  }

  @Test(arguments: codecs) func damageIsAnError(_ codec: MovieCodec) throws {
    let movie = try TestMovie.standard(codec).file(.mp4)
    let index = try MovieIndex(of: movie.path, container: .mp4, codec: codec, audioCodec: .aac, size: .max >> 1)
    let error = #expect(throws: CaptureError.self) {
      _ = try RecodedGroup(
        index.pictures.track, Array(index.pictures.samples[..<10]), from: 3,
        read: { [UInt8](repeating: 0x55, count: Int($0.count)) }, next: { nil })
    }
    #expect(error?.reason == .processingFailed)
  }
}

import CaptureCore
import CaptureTestKit
import MovieTestKit
import Testing

@testable import VideoCoding

/// The beginning of a movie whose samples lie elsewhere.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieCodec.motionJPEG.isAvailable))
struct MovieHeaderTests {
  /// libavformat takes no sample that lasts more than 35 minutes of microseconds.
  @Test(arguments: [(2100, 1_000_000), (2200, 90_000), (21_500, 90_000)] as [(Int64, Int64)])
  func aGapMayLastForHours(_ seconds: Int64, _ ticks: Int64) throws {
    let movie = try TestMovie.standard(.motionJPEG)
    let pictures = movie.samples.prefix(3)
    let times = [0, 33_333_000, seconds * 1_000_000_000]
    let samples = zip(pictures, times).map { picture, time in
      MovieHeader.Sample(
        track: 0,
        MovieIndex.Sample(offset: 0, count: UInt32(picture.bytes.count), time: time, isKeyFrame: true))
    }
    let header = try MovieHeader.bytes(
      .mov, tracks: [(movie.track, times[2] + 40_000_000)], samples: samples, creationTime: 0)
    let file = TemporaryFile("mov")
    try file.write(header + pictures.flatMap { $0.bytes.withUnsafeBytes { Array($0) } })
    let (packets, unit) = try ProbedPacket.packets(file.path)
    #expect(unit == ticks)
    // Times are rounded up to a tick.
    #expect(packets.map(\.time) == times.map { ($0 * ticks + 999_999_999) / 1_000_000_000 })
  }
}

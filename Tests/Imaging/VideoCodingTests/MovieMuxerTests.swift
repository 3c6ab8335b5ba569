import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import MovieTestKit
import SystemClocks
import Testing

@testable import VideoCoding

/// Movies in each container, as FFmpeg's programs read them.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieContainer.isAvailable))
struct MovieMuxerTests {
  /// Every packet is there with its time, rounded to a tick, the rate varies as it did, and the gap stays. Each
  /// decoded picture shows the board of its place.
  @Test(arguments: TestMovie.pairs) func everyPictureIsThereAtItsTime(_ pair: (MovieContainer, MovieCodec)) throws {
    let (container, codec) = pair
    let movie = try TestMovie.standard(codec)
    let file = try movie.file(container)
    let (packets, ticks) = try ProbedPacket.packets(file.path)
    #expect(packets.count == movie.samples.count)
    for (packet, sample) in zip(packets, movie.samples) {
      // Times in MP4 and QuickTime are rounded up.
      let late = Double(packet.time) - Double(sample.presentationTime) / 1e9 * Double(ticks)
      #expect(container.hasIndex ? (-0.001..<1).contains(late) : abs(late) <= 0.5)
      #expect(packet.decodeTime == packet.time)
      #expect(packet.isKeyFrame == sample.isKeyFrame)
    }
    let (boards, messages) = try MediaTools.boards(file.path, movie.pictures.size)
    #expect(boards.map(\.?.sequence) == (0..<40).map { UInt64($0) })
    #expect(boards.map(\.?.time.nanoseconds) == movie.samples.map(\.presentationTime))
    #expect(messages.isEmpty, "\(messages)")
  }

  /// The track says what players need to know before the first picture.
  @Test(arguments: TestMovie.pairs) func theTrackIsDescribed(_ pair: (MovieContainer, MovieCodec)) throws {
    let (container, codec) = pair
    let file = try TestMovie.standard(codec).file(container)
    let stream = try #require(
      try MediaTools.probe(
        file.path, "stream=codec_name,codec_tag_string,width,height,color_range,color_space,r_frame_rate"
      ).first)
    let names: [MovieCodec: String] = [
      .h264: "h264", .hevc: "hevc", .proRes: "prores", .ffv1: "ffv1", .motionJPEG: "mjpeg",
    ]
    #expect(stream["codec_name"] == names[codec])
    #expect(stream["width"] == "256" && stream["height"] == "96")
    if codec == .h264 || codec == .hevc {
      #expect(stream["color_range"] == "tv" && stream["color_space"] == "bt709")
    }
    if codec == .hevc, container.hasIndex { #expect(stream["codec_tag_string"] == "hvc1") }
    if codec == .proRes { #expect(stream["codec_tag_string"] == "apcn") }
    if container != .mpegTS {
      let time = try #require(try MediaTools.probe(file.path, "format_tags=creation_time").first)
      #expect(time.values.first?.hasPrefix("2026-11-26T07:00:00.") ?? false, "\(time)")
    }
  }

  /// A sink that cannot seek gets the same packets.
  @Test(arguments: TestMovie.pairs) func aPipeIsEnough(_ pair: (MovieContainer, MovieCodec)) throws {
    let (container, codec) = pair
    let movie = try TestMovie.standard(codec)
    let sink = MemorySink()
    try movie.write(container, to: sink)
    #expect(sink.seeks == 0)
    let piped = TemporaryFile(container.fileExtension)
    try piped.write(sink.bytes)
    let seekable = try movie.file(container)
    #expect(try ProbedPacket.packets(piped.path).packets == ProbedPacket.packets(seekable.path).packets)
  }

  /// After the end of a fragment the sink has everything that was added, so a live viewer gets it.
  @Test(arguments: TestMovie.pairs) func theEndOfAFragmentReachesTheSink(_ pair: (MovieContainer, MovieCodec)) throws {
    let (container, codec) = pair
    let movie = try TestMovie.standard(codec)
    let sink = MemorySink()
    let muxer = try MovieMuxer(container, tracks: [movie.track], sink: sink)
    for sample in movie.samples[..<10] { try muxer.append(sample) }
    try muxer.endFragment()
    let file = TemporaryFile(container.fileExtension)
    try file.write(sink.bytes)
    #expect(try ProbedPacket.packets(file.path).packets.count == 10)
  }

  /// The existing encoder of previews can be put into a movie too.
  @Test(arguments: [MovieContainer.mp4, .mov, .matroska, .mpegTS])
  func thePreviewsH264GoesIntoAMovie(_ container: MovieContainer) throws {
    let pool = FramePool(budget: 64 << 20)
    let pictures = BoardPictures(pool: pool)
    let encoder = H264Encoder(pool: pool, allowsHardware: false)
    let file = TemporaryFile(container.fileExtension)
    var muxer: MovieMuxer?
    for number in 0..<20 {
      let coded = try encoder.encode(
        pictures.picture(number, at: UInt64(number)), quality: 80, forcesKeyFrame: number % 10 == 0)
      if muxer == nil {
        muxer = try MovieMuxer(
          container, tracks: [MovieTrack(of: coded.picture)], sink: MovieFileSink(owning: file.create()))
      }
      try muxer!.append(
        MovieSample(
          bytes: coded.picture.buffer, presentationTime: UInt64(number) * 40_000_000, duration: 40_000_000,
          isKeyFrame: coded.isKeyFrame))
    }
    try muxer!.finish()
    let (boards, messages) = try MediaTools.boards(file.path, pictures.size)
    #expect(boards.map(\.?.sequence) == (0..<20).map { UInt64($0) })
    #expect(messages.isEmpty, "\(messages)")
  }

  /// A codec that players do not read from a container is refused before anything is written.
  @Test func unfitCodecsAreRefused() throws {
    let movie = try TestMovie.standard(.motionJPEG)
    let sink = MemorySink()
    let error = #expect(throws: CaptureError.self) {
      try MovieMuxer(.mp4, tracks: [movie.track], sink: sink)
    }
    #expect(error?.reason == .formatNotSupported && sink.bytes.isEmpty)
    #expect(!MovieContainer.mp4.holds(.motionJPEG) && !MovieContainer.mov.holds(.ffv1))
  }

  /// Ten hours of pictures at 30000/1001 a second end where they should: roundings do not add up.
  @Test(arguments: MovieContainer.allCases) func roundingsDoNotAddUp(_ container: MovieContainer) throws {
    guard let codec = MovieCodec.allCases.first(where: { container.holds($0) && $0.isAvailable }) else { return }
    let short = try TestMovie(codec, times: [0, 1_000_000_000], fragments: [0, 1])
    let file = TemporaryFile(container.fileExtension)
    let muxer = try MovieMuxer(container, tracks: [short.track], sink: MovieFileSink(owning: file.create()))
    let numbers = [0, 1, 2, 107_892, 539_460, 1_078_921]
    for number in numbers {
      var sample = short.samples[0]
      sample.presentationTime = (UInt64(number) * 1_001_000_000_000 + 15000) / 30000
      sample.decodeTime = sample.presentationTime
      sample.duration = 33_366_667
      try muxer.append(sample)
      try muxer.endFragment()
    }
    try muxer.finish()
    let (packets, ticks) = try ProbedPacket.packets(file.path)
    for (packet, number) in zip(packets, numbers) {
      #expect(abs(Double(packet.time) / Double(ticks) - Double(number) * 1.001 / 30) <= 1.01 / Double(ticks))
    }
    #expect(packets.count == numbers.count)
  }
}

import CaptureCore
import CaptureTestKit
import Foundation
import Imaging
import MovieTestKit
import SystemClocks
import Testing

@testable import VideoCoding

/// Movies that are sent while they are made, as FFmpeg's programs read them.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieContainer.isAvailable && MovieCodec.h264.isAvailable))
struct LiveMovieTests {
  static let containers = [MovieContainer.mp4, .mpegTS]

  /// An instant of the clocks, which begin far from the first picture.
  private static func time(_ nanoseconds: UInt64) -> FrameTime {
    FrameTime(
      monotonic: MonotonicInstant(nanoseconds: 5_000_000_000_123 + nanoseconds), wall: TestMovie.creationTime,
      source: .startOfExposure)
  }

  /// Encodes boards as a preview does: a key frame is made only where `keyFrames` says so.
  private struct Preview {
    let pictures: BoardPictures
    private let encoder: H264Encoder

    init(_ size: Size = Size(width: 256, height: 96)) {
      let pool = FramePool(budget: 64 << 20)
      pictures = BoardPictures(pool: pool, size: size)
      encoder = H264Encoder(pool: pool, allowsHardware: false)
    }

    func coded(_ number: Int, at time: UInt64, isKeyFrame: Bool, quality: Int = 80) throws -> H264Encoder.Coded {
      try encoder.encode(pictures.picture(number, at: time), quality: quality, forcesKeyFrame: isKeyFrame)
    }
  }

  /// The pieces of pictures at `times`, and where the bytes of each end. Every tenth picture is a key frame.
  private func pieces(_ container: MovieContainer, _ preview: Preview, _ times: [UInt64]) throws -> (
    bytes: [UInt8], ends: [Int]
  ) {
    let movie = LiveMovie(container)
    var (bytes, ends) = ([UInt8](), [Int]())
    for (index, time) in times.enumerated() {
      let coded = try preview.coded(index, at: time, isKeyFrame: index % 10 == 0)
      bytes += try #require(try movie.append(coded.picture, isKeyFrame: coded.isKeyFrame, at: Self.time(time)))
      ends.append(bytes.count)
    }
    return (bytes, ends)
  }

  /// Every picture has its time from the first one on, the rate varies as it did, and a gap stays.
  @Test(arguments: containers) func thePicturesKeepTheTimesOfTheirCapture(_ container: MovieContainer) throws {
    let preview = Preview()
    let times = TestMovie.unevenTimes(40)
    let file = TemporaryFile(container.fileExtension)
    try file.write(try pieces(container, preview, times).bytes)
    let (packets, ticks) = try ProbedPacket.packets(file.path)
    #expect(packets.count == times.count)
    for (index, packet) in packets.enumerated() {
      let seconds = Double(times[index] - times[0]) / 1e9
      #expect(abs(Double(packet.time) / Double(ticks) - seconds) <= 1.01 / Double(ticks))
      #expect(packet.decodeTime == packet.time && packet.isKeyFrame == (index % 10 == 0))
    }
    let (boards, messages) = try MediaTools.boards(file.path, preview.pictures.size)
    #expect(boards.map(\.?.time.nanoseconds) == times)
    // The raw video that ffmpeg writes has a constant rate, and ffmpeg complains of pictures that are nearer.
    #expect(messages.split(separator: "\n").allSatisfy { $0.hasPrefix("[rawvideo") }, "\(messages)")
  }

  /// A player that has the piece of a picture has the whole picture, before the next one is made.
  @Test(arguments: containers) func eachPieceCanBePlayedAtOnce(_ container: MovieContainer) throws {
    let preview = Preview()
    let (bytes, ends) = try pieces(container, preview, TestMovie.unevenTimes(12))
    for count in [1, 2, 12] {
      let file = TemporaryFile(container.fileExtension)
      try file.write(Array(bytes[..<ends[count - 1]]))
      // ffmpeg does not always recognize MPEG-TS by a few packets.
      let format = container == .mp4 ? "mp4" : "mpegts"
      let (boards, messages) = try MediaTools.boards(file.path, preview.pictures.size, ["-f", format])
      #expect(boards.map(\.?.sequence) == (0..<count).map { UInt64($0) }, "\(messages)")
    }
  }

  /// After a gap the next key frame continues the movie.
  @Test(arguments: containers) func aKeyFrameContinuesTheMovieAfterLostPictures(_ container: MovieContainer) throws {
    let preview = Preview()
    let movie = LiveMovie(container)
    var bytes: [UInt8] = []
    for index in 0..<30 {
      let time = UInt64(index) * 33_333_333
      let coded = try preview.coded(index, at: time, isKeyFrame: index % 10 == 0)
      if (5..<20).contains(index) { continue }
      bytes += try #require(try movie.append(coded.picture, isKeyFrame: coded.isKeyFrame, at: Self.time(time)))
    }
    let file = TemporaryFile(container.fileExtension)
    try file.write(bytes)
    let (boards, messages) = try MediaTools.boards(file.path, preview.pictures.size)
    #expect(boards.map(\.?.sequence) == (Array(0..<5) + Array(20..<30)).map { UInt64($0) })
    #expect(messages.isEmpty, "\(messages)")
  }

  /// A movie describes one encoder, so it ends where the parameter sets change.
  @Test(arguments: containers) func otherParameterSetsEndTheMovie(_ container: MovieContainer) throws {
    let (preview, other) = (Preview(), Preview(Size(width: 320, height: 96)))
    let movie = LiveMovie(container)
    let first = try preview.coded(0, at: 0, isKeyFrame: true)
    #expect(try movie.append(first.picture, isKeyFrame: true, at: Self.time(0)) != nil)
    let again = try Preview().coded(1, at: 1, isKeyFrame: true)
    #expect(try movie.append(again.picture, isKeyFrame: true, at: Self.time(33_333_333)) != nil)
    let worse = try Preview().coded(2, at: 2, isKeyFrame: true, quality: 40)
    #expect(try movie.append(worse.picture, isKeyFrame: true, at: Self.time(66_666_667)) == nil)
    let larger = try other.coded(3, at: 3, isKeyFrame: true)
    #expect(try movie.append(larger.picture, isKeyFrame: true, at: Self.time(100_000_000)) == nil)
  }

  /// A movie that begins with another picture than a key frame could not be decoded.
  @Test(arguments: containers) func aMovieBeginsWithAKeyFrame(_ container: MovieContainer) throws {
    let preview = Preview()
    _ = try preview.coded(0, at: 0, isKeyFrame: true)
    let second = try preview.coded(1, at: 1, isKeyFrame: false)
    let error = #expect(throws: CaptureError.self) {
      try LiveMovie(container).append(second.picture, isKeyFrame: second.isKeyFrame, at: Self.time(0))
    }
    #expect(error?.reason == .processingFailed)
  }

  /// A camera that is watched for days: the times of MPEG-TS begin again after 26.5 hours, and those of MP4 go on.
  @Test(arguments: containers) func aMovieGoesOnForDays(_ container: MovieContainer) throws {
    let preview = Preview()
    let movie = LiveMovie(container)
    let seconds: [UInt64] = [0, 95_442, 95_443, 95_444, 95_445, 200_000]
    var bytes: [UInt8] = []
    for (index, second) in seconds.enumerated() {
      let coded = try preview.coded(index, at: second * 1_000_000_000, isKeyFrame: false)
      let time = Self.time(second * 1_000_000_000)
      bytes += try #require(try movie.append(coded.picture, isKeyFrame: coded.isKeyFrame, at: time))
    }
    let file = TemporaryFile(container.fileExtension)
    try file.write(bytes)
    let (packets, ticks) = try ProbedPacket.packets(file.path)
    let range: Int64 = 1 << 33
    #expect(packets.map { ($0.time % range + range) % range } == seconds.map { Int64($0) * ticks % range })
    let (boards, _) = try MediaTools.boards(file.path, preview.pictures.size)
    #expect(boards.map(\.?.sequence) == seconds.indices.map { UInt64($0) })
  }

  /// The list of the fragments would grow in memory for as long as the viewer watches.
  @Test func anEndlessMovieKeepsNoListOfItsFragments() throws {
    let movie = try TestMovie.standard(.h264)
    for isEndless in [false, true] {
      let sink = MemorySink()
      let muxer = try MovieMuxer(.mp4, tracks: [movie.track], sink: sink, isEndless: isEndless)
      for sample in movie.samples[..<10] {
        try muxer.append(sample)
        try muxer.endFragment()
      }
      let count = sink.bytes.count
      try muxer.finish()
      #expect((sink.bytes.count == count) == isEndless)
    }
  }
}

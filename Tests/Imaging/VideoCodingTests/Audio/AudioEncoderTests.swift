import CaptureCore
import CaptureTestKit
import Foundation
import MovieTestKit
import Testing

@testable import VideoCoding

/// Sound in each container, as FFmpeg's programs read it.
@Suite(.computing, .enabled(if: MediaTools.areInstalled && MovieContainer.isAvailable))
struct AudioEncoderTests {
  /// Every pair of container and codec that this machine can make.
  static let pairs = MovieContainer.allCases.flatMap { container in
    AudioCodec.allCases.filter { container.holds($0) && $0.isAvailable }.map { (container, $0) }
  }

  /// A click in one channel every quarter of a second, counted from the start of the movie, and silence in the other.
  private func clicks(_ format: AudioFormat, seconds: Int, from start: Int) -> [Float] {
    (start..<format.sampleRate * seconds).flatMap { index -> [Float] in
      let click: Float = index % (format.sampleRate / 4) < 16 ? 0.9 : 0
      return (0..<format.channelCount).map { $0 == 0 ? click : 0 }
    }
  }

  /// Where the decoded sound of a file has clicks, in samples from the start of the movie.
  private func decodedClicks(_ path: String, _ format: AudioFormat) throws -> [Int] {
    let first = try #require(try MediaTools.probe(path, "packet=pts_time", of: "a:0").first?["pts_time"])
    let start = Int((try #require(Double(first)) * Double(format.sampleRate)).rounded())
    let result = try MediaTools.run("ffmpeg", ["-v", "error", "-i", path, "-map", "0:a:0", "-f", "f32le", "-"])
    try #require(result.status == 0, "\(result.messages)")
    let samples = result.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let channel = stride(from: 0, to: samples.count, by: format.channelCount).map { samples[$0] }
    var clicks: [Int] = []
    for index in channel.indices where abs(channel[index]) > 0.35 {
      let time = start + index
      if clicks.last.map({ time - $0 > format.sampleRate / 8 }) ?? true { clicks.append(time) }
    }
    return clicks
  }

  /// Writes one picture each 40 ms, and sound in fragments of half a second.
  private func write(
    _ container: MovieContainer, _ encoder: AudioEncoder, _ packets: [MovieSample], seconds: Int
  ) throws -> TemporaryFile {
    let movie = try TestMovie(
      .h264, times: (0..<25 * seconds).map { UInt64($0) * 40_000_000 },
      fragments: Set(stride(from: 0, to: 25 * seconds, by: 13)))
    let file = TemporaryFile(container.fileExtension)
    let muxer = try MovieMuxer(
      container, tracks: [movie.track, encoder.track], sink: MovieFileSink(owning: file.create()))
    var rest = packets[...]
    for (index, sample) in movie.samples.enumerated() {
      while let next = rest.first, next.presentationTime <= sample.presentationTime {
        try muxer.append(next, to: 1)
        rest = rest.dropFirst()
      }
      if index > 0, movie.fragments.contains(index) { try muxer.endFragment() }
      try muxer.append(sample)
    }
    for sample in rest { try muxer.append(sample, to: 1) }
    try muxer.finish()
    return file
  }

  /// Each click is heard within a millisecond of its time, also in a movie whose sound begins late.
  @Test(arguments: pairs) func soundIsHeardAtItsTime(_ pair: (MovieContainer, AudioCodec)) throws {
    let (container, codec) = pair
    for start in [0, 12_345] {
      let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
      let encoder = try AudioEncoder(codec, format, start: start, pool: FramePool(budget: 16 << 20))
      let samples = clicks(format, seconds: 3, from: start)
      var packets: [MovieSample] = []
      // Blocks of an odd size show that the packets do not follow the blocks.
      for position in stride(from: 0, to: samples.count, by: 2 * 777) {
        packets += try encoder.encode(samples[position..<min(position + 2 * 777, samples.count)])
      }
      packets += try encoder.finish()
      #expect(packets.first?.presentationTime == format.nanoseconds(ofSamples: start))
      for (packet, next) in zip(packets, packets.dropFirst()) {
        #expect(packet.presentationTime + packet.duration == next.presentationTime)
      }
      #expect(packets.last.map { $0.presentationTime + $0.duration } == 3_000_000_000)
      let file = try write(container, encoder, packets, seconds: 3)
      let found = try decodedClicks(file.path, format)
      // The decoder fades in during the first packet, so its click may be missing.
      let expected = stride(from: 12_000 * ((start + 11_999) / 12_000), to: 144_000, by: 12_000).filter { $0 > start }
      let later = found.filter { $0 > start + 2_000 }
      #expect(later.count == expected.count, "\(found)")
      for (click, time) in zip(later, expected) { #expect(abs(click - time) <= 48, "\(container) \(codec) \(found)") }
      let boards = try MediaTools.boards(file.path, Size(width: 256, height: 96))
      #expect(boards.boards.map(\.?.sequence) == (0..<75).map { UInt64($0) })
      #expect(boards.messages.isEmpty, "\(boards.messages)")
    }
  }

  /// Sound of other rates and one channel is coded too, and what a codec refuses is said.
  @Test func otherFormats() throws {
    let pool = FramePool(budget: 16 << 20)
    let mono = try AudioEncoder(.aac, AudioFormat(sampleRate: 16_000, channelCount: 1), pool: pool)
    let packets = try mono.encode([Float](repeating: 0, count: 16_000)) + mono.finish()
    #expect(packets.count == 16)
    #expect(packets.last.map { $0.presentationTime + $0.duration } == 1_000_000_000)
    #expect(throws: CaptureError.self) {
      try AudioEncoder(.opus, AudioFormat(sampleRate: 44_100, channelCount: 2), pool: pool)
    }
  }
}

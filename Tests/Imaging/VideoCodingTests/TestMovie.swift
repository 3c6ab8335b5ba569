import CaptureCore
import Imaging
import MovieTestKit
import Synchronization
import SystemClocks
import Testing

@testable import VideoCoding

/// A movie of boards, as a recording would make it: pictures at given times, a key frame where a fragment begins.
struct TestMovie: Sendable {
  /// Every pair of container and codec that this machine can make.
  static let pairs = MovieContainer.allCases.flatMap { container in
    MovieCodec.allCases.filter { container.holds($0) && $0.isAvailable }.map { (container, $0) }
  }

  /// 2026-11-26T07:00:00.25Z.
  static let creationTime = WallInstant(nanoseconds: 1_795_676_400_250_000_000)

  private static let made = Mutex<[MovieCodec: TestMovie]>([:])

  /// A movie of 40 pictures and four fragments, which is made once for all tests.
  static func standard(_ codec: MovieCodec) throws -> TestMovie {
    try made.withLock { made in
      let movie = try made[codec] ?? TestMovie(codec)
      made[codec] = movie
      return movie
    }
  }

  let pool = FramePool(budget: 256 << 20)
  let codec: MovieCodec
  let pictures: BoardPictures
  let track: MovieTrack
  let samples: [MovieSample]
  /// The indexes of the pictures with which a fragment begins.
  let fragments: Set<Int>

  /// A rate that varies from 15 to 60 pictures a second, and a gap of five seconds.
  static func unevenTimes(_ count: Int, from start: UInt64 = 40_000_001) -> [UInt64] {
    var (times, time) = ([UInt64](), start)
    for index in 0..<count {
      times.append(time)
      time += index == count / 2 ? 5_000_000_000 : [33_366_667, 16_683_333, 66_733_333, 33_333_333][index % 4]
    }
    return times
  }

  init(
    _ codec: MovieCodec, times: [UInt64] = Self.unevenTimes(40), fragments: Set<Int> = [0, 10, 20, 30],
    format: PixelFormat = .nv12, rate: MovieFormat.Rate = .quality(80)
  ) throws {
    self.codec = codec
    self.fragments = fragments
    pictures = BoardPictures(pool: pool, format: format)
    var samples: [MovieSample] = []
    if codec == .motionJPEG {
      let encoder = JPEGEncoder(pool: pool)
      var track: MovieTrack?
      for (index, time) in times.enumerated() {
        let picture = try encoder.encode(pictures.picture(index, at: time), quality: 80)
        track = try track ?? MovieTrack(of: picture)
        samples.append(
          MovieSample(bytes: picture.buffer, presentationTime: time, duration: 33_333_333, isKeyFrame: true))
      }
      self.track = track!
    } else {
      let encoder = try MovieEncoder(
        MovieFormat(
          codec, of: pictures.layout, frameRate: Rational(30000, 1001), rate: rate, keyFrameDistance: 1000),
        pool: pool, threads: 1)
      for (index, time) in times.enumerated() {
        samples += try encoder.encode(
          pictures.picture(index, at: time), at: time, lasting: 33_333_333, forcesKeyFrame: fragments.contains(index))
      }
      samples += try encoder.finish()
      track = try #require(encoder.track)
    }
    self.samples = samples
  }

  /// Writes the movie; stops with the error of the sink, or of the muxer.
  func write(_ container: MovieContainer, to sink: any MovieSink) throws {
    let muxer = try MovieMuxer(
      container, tracks: [track], sink: sink, creationTime: Self.creationTime)
    for (index, sample) in samples.enumerated() {
      if index > 0, fragments.contains(index) { try muxer.endFragment() }
      try muxer.append(sample)
    }
    try muxer.finish()
  }

  /// Writes the movie to a file.
  func file(_ container: MovieContainer) throws -> TemporaryFile {
    let file = TemporaryFile(container.fileExtension)
    try write(container, to: MovieFileSink(owning: file.create()))
    return file
  }
}

/// A movie in memory, which may be unable to seek, and may run full.
final class MemorySink: MovieSink {
  private(set) var bytes: [UInt8] = []
  private(set) var seeks = 0
  let canSeek: Bool
  let capacity: Int
  private var offset = 0

  init(canSeek: Bool = false, capacity: Int = .max) {
    self.canSeek = canSeek
    self.capacity = capacity
  }

  func write(_ new: UnsafeRawBufferPointer) throws(CaptureError) {
    let count = min(new.count, capacity - offset)
    let end = offset + count
    if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(offset..<end, with: new.prefix(count))
    offset = end
    if count < new.count { throw .writing(28) }
  }

  func seek(to offset: Int64) throws(CaptureError) {
    seeks += 1
    self.offset = Int(offset)
  }

  func truncate(to offset: Int64) { bytes.removeSubrange(Int(offset)...) }
}

import CaptureCore
import CaptureTestKit
import Imaging
import MovieTestKit
import Testing

@testable import VideoCoding

/// The encoder of movies: times, key frames, input formats, rates and errors.
@Suite(.computing) struct MovieEncoderTests {
  static let codecs = MovieCodec.allCases.filter { $0 != .motionJPEG && $0.isAvailable }
  let pool = FramePool(budget: 128 << 20)

  private func format(_ codec: MovieCodec, _ pictures: BoardPictures, key: Int = 1000) -> MovieFormat {
    MovieFormat(codec, of: pictures.layout, frameRate: Rational(30, 1), keyFrameDistance: key)
  }

  /// Each picture gives one sample with exactly the nanoseconds that it came with, in order, and decoders need no later
  /// picture.
  @Test(arguments: codecs) func samplesHaveTheirPicturesTimes(_ codec: MovieCodec) throws {
    let times = TestMovie.unevenTimes(40)
    let movie = try TestMovie.standard(codec)
    #expect(movie.samples.map(\.presentationTime) == times)
    #expect(movie.samples.map(\.decodeTime) == times)
    #expect(movie.samples.allSatisfy { $0.duration == 33_333_333 && $0.bytes.count > 0 })
  }

  /// Key frames come where they are asked for, and at the latest after the distance.
  @Test(arguments: codecs) func keyFramesComeWhereAskedFor(_ codec: MovieCodec) throws {
    let pictures = BoardPictures(pool: pool)
    let encoder = try MovieEncoder(format(codec, pictures, key: 20), pool: pool, threads: 1)
    var samples: [MovieSample] = []
    for number in 0..<60 {
      let time = UInt64(number) * 33_333_333
      samples += try encoder.encode(
        pictures.picture(number, at: time), at: time, forcesKeyFrame: [7, 33].contains(number))
    }
    samples += try encoder.finish()
    let keys = samples.indices.filter { samples[$0].isKeyFrame }
    #expect(codec.hasKeyFramesOnly ? keys == Array(0..<60) : Set([0, 7, 33]).isSubset(of: keys))
    #expect(zip(keys, keys.dropFirst() + [60]).allSatisfy { $1 - $0 <= 20 })
  }

  /// The encoder takes what cameras give, and finds it in its own colours.
  @Test(
    arguments: codecs,
    [PixelFormat.nv12, .nv21, .yuv420, .yvu420, .yuyv, .uyvy, .yuv422p, .grey, .rgb24, .xbgr32])
  func anyPictureIsTaken(_ codec: MovieCodec, _ pixels: PixelFormat) throws {
    let movie = try TestMovie(codec, times: [0, 40_000_000], format: pixels)
    #expect(movie.samples.count == 2)
  }

  /// FFV1 keeps the samples of 4:2:0, 4:2:2 and grey, also of an odd size.
  @Test(
    .enabled(if: MediaTools.areInstalled && codecs.contains(.ffv1)),
    arguments: [
      (PixelFormat.nv12, "yuv420p"), (.yuyv, "yuv422p"), (.grey, "gray"),
    ])
  func losslessMeansTheSameSamples(_ pixels: PixelFormat, _ name: String) throws {
    let pictures = BoardPictures(pool: pool, size: Size(width: 259, height: 97), format: pixels, range: .full)
    let encoder = try MovieEncoder(format(.ffv1, pictures), pool: pool, threads: 1)
    let picture = try pictures.picture(3, at: 5)
    let samples = try encoder.encode(picture, at: 0) + encoder.finish()
    let file = TemporaryFile("mkv")
    let muxer = try MovieMuxer(
      .matroska, tracks: [#require(encoder.track)], sink: MovieFileSink(owning: file.create()))
    for sample in samples { try muxer.append(sample) }
    try muxer.finish()
    let result = try MediaTools.run(
      "ffmpeg", ["-v", "error", "-i", file.path, "-pix_fmt", name, "-f", "rawvideo", "-"])
    let planar: PixelFormat = pixels == .grey ? .grey : pixels == .nv12 ? .yuv420 : .yuv422p
    let expected = try PictureConverter(pool: pool).convert(picture, to: planar)
    expected.buffer.withUnsafeBytes { #expect(Array(result.output) == Array($0.prefix(expected.layout.byteCount))) }
  }

  /// A camera may have an odd column or line, which codecs with halved chroma leave out.
  @Test(arguments: codecs, [PixelFormat.nv12, .yuyv, .jpeg])
  func anOddColumnAndLineAreLeftOut(_ codec: MovieCodec, _ pixels: PixelFormat) throws {
    let size = Size(width: 259, height: 97)
    let raw = try BoardPictures(pool: pool, size: size, format: pixels == .jpeg ? .nv12 : pixels).picture(3, at: 5)
    let picture = pixels == .jpeg ? try JPEGEncoder(pool: pool).encode(raw, quality: 90) : raw
    let format = MovieFormat(codec, of: picture.layout, frameRate: Rational(30, 1))
    #expect(format.size == (codec == .ffv1 ? size : Size(width: 258, height: 96)))
    let encoder = try MovieEncoder(format, pool: pool, threads: 1)
    let samples = try encoder.encode(picture, at: 0) + encoder.finish()
    #expect(samples.count == 1)
    let other = BoardPictures(pool: pool, size: Size(width: 257, height: 97), format: .nv12)
    #expect(throws: CaptureError.self) { try encoder.encode(try other.picture(4, at: 6), at: 40_000_000) }
  }

  /// JPEG pictures are decoded, to limited range and the matrix of JPEG. Pictures of high dynamic range get the tones
  /// that screens show, and measured values become grey.
  @Test(arguments: codecs) func jpegAndSamplesOf16BitsAreTaken(_ codec: MovieCodec) throws {
    let jpeg = try JPEGEncoder(pool: pool).encode(BoardPictures(pool: pool).picture(0, at: 0), quality: 90)
    let size = Size(width: 256, height: 96)
    let layouts: [FrameLayout] = [
      .packed(.p010, size, matrix: .bt2020, transfer: .pq)!, .packed(.y16, size, range: .full)!,
    ]
    let wide = layouts.map { layout in
      let memory = pool.take(layout.byteCount)!
      for index in 0..<layout.byteCount { memory.bytes[index] = index % 2 == 0 ? 0 : 128 }
      return Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount))
    }
    for (picture, matrix) in [(jpeg, FrameLayout.Matrix.bt601), (wide[0], .bt709), (wide[1], .bt601)] {
      let format = MovieFormat(codec, of: picture.layout, frameRate: Rational(30, 1))
      #expect(format.matrix == matrix && (format.range == .limited || codec == .ffv1 && picture.layout.range == .full))
      let encoder = try MovieEncoder(format, pool: pool, threads: 1)
      let samples = try encoder.encode(picture, at: 0) + encoder.finish()
      #expect(samples.count == 1)
    }
  }

  /// A bit rate is kept on average, whatever the pictures show.
  @Test(arguments: codecs.filter { !$0.hasKeyFramesOnly }) func aBitRateIsKept(_ codec: MovieCodec) throws {
    var generator = SeededGenerator(seed: 7)
    let size = Size(width: 256, height: 192)
    let layout = FrameLayout.packed(.nv12, size)!
    let encoder = try MovieEncoder(
      MovieFormat(codec, of: layout, frameRate: Rational(30, 1), rate: .bitRate(300_000)), pool: pool, threads: 1)
    var samples: [MovieSample] = []
    for number in 0..<150 {
      let memory = pool.take(layout.byteCount)!
      let words = memory.bytes.bindMemory(to: UInt64.self)
      for index in 0..<layout.byteCount / 8 {
        words[index] = 0x6060_6060_6060_6060 | generator.next() & 0x1f1f_1f1f_1f1f_1f1f
      }
      // In the dark, the camera halves its rate.
      let time = UInt64(number < 90 ? number : 2 * number - 90) * 33_333_333
      samples += try encoder.encode(Picture(layout: layout, buffer: memory.freeze(count: layout.byteCount)), at: time)
    }
    samples += try encoder.finish()
    let seconds = 7.0
    let rate = Double(samples.reduce(0) { $0 + $1.bytes.count } * 8) / seconds
    #expect(rate > 200_000 && rate < 400_000, "\(rate)")
  }

  /// Another size or matrix, an impossible format and times that do not increase are errors. The encoder works on.
  @Test func unfitPicturesAreRefused() throws {
    let pictures = BoardPictures(pool: pool)
    let codec = try #require(Self.codecs.first)
    let encoder = try MovieEncoder(format(codec, pictures), pool: pool, threads: 1)
    var smaller = pictures
    smaller.size.width = 128
    var other = pictures
    other.matrix = .bt601
    _ = try encoder.encode(pictures.picture(0, at: 0), at: 10)
    for picture in [try smaller.picture(1, at: 0), try other.picture(1, at: 0)] {
      #expect(throws: CaptureError.self) { try encoder.encode(picture, at: 20) }
    }
    let error = #expect(throws: CaptureError.self) { try encoder.encode(pictures.picture(1, at: 0), at: 10) }
    #expect(error?.reason == .invalidArgument)
    _ = try encoder.encode(pictures.picture(1, at: 0), at: 30)
    #expect(try encoder.finish().count == 2)
    var odd = format(.h264, smaller)
    odd.size.width = 127
    for broken in [odd, format(.motionJPEG, pictures)] {
      let error = #expect(throws: CaptureError.self) { try MovieEncoder(broken, pool: pool) }
      #expect(error?.reason == .formatNotSupported)
    }
  }

  /// Where the pool has no memory for a sample, none comes until a key frame, and the encoder asks for one itself.
  @Test(.enabled(if: codecs.contains(.h264))) func usedUpMemoryLosesAPartOfTheMovie() throws {
    let tight = FramePool(budget: 4 << 20)
    let pictures = BoardPictures(pool: pool)
    let encoder = try MovieEncoder(format(.h264, pictures), pool: tight, threads: 1)
    var samples: [MovieSample] = []
    for number in 0..<120 {
      let picture = try pictures.picture(number, at: 0)
      // The pool is empty while the sample of one of these pictures is made.
      var held: [WritableFrameBufferBox] = []
      if number == 60 { while let memory = tight.take(4096) { held.append(WritableFrameBufferBox(memory)) } }
      samples += try encoder.encode(picture, at: UInt64(number) * 33_333_333)
      _ = held
    }
    samples += try encoder.finish()
    #expect(encoder.lostSamples > 0 && samples.count + encoder.lostSamples == 120)
    let times = samples.map { Int(($0.presentationTime + 1) / 33_333_333) }
    let seam = try #require(times.indices.dropFirst().first { times[$0] != times[$0 - 1] + 1 })
    #expect(samples[seam].isKeyFrame)
  }

  /// Most machines have no hardware that encodes. There, an encoder that may use such hardware works like one that may
  /// not.
  @Test(arguments: codecs) func withoutHardwareTheSoftwareEncodes(_ codec: MovieCodec) throws {
    let pictures = BoardPictures(pool: pool)
    let encoder = try MovieEncoder(format(codec, pictures), pool: pool, allowsHardware: true)
    let samples = try encoder.encode(pictures.picture(0, at: 0), at: 0) + encoder.finish()
    #expect(samples.count == 1 && samples[0].isKeyFrame)
    #expect(codec.encoders(allowsHardware: true).contains { $0.name == encoder.name })
  }
}

/// Keeps a piece of pool memory in an array, which cannot hold values that cannot be copied.
private final class WritableFrameBufferBox {
  let memory: FrameBuffer
  init(_ memory: consuming WritableFrameBuffer) { self.memory = memory.freeze(count: 0) }
}

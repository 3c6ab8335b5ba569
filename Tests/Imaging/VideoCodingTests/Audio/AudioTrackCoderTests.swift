import CaptureCore
import Testing

@testable import VideoCoding

/// The samples of a track, which has no gaps whatever pieces come. PCM shows what was coded.
@Suite(.enabled(if: AudioCodec.pcm.isAvailable))
struct AudioTrackCoderTests {
  private static let format = AudioFormat(sampleRate: 8000, channelCount: 2)
  private static let millisecond: UInt64 = 1_000_000

  private let coder: AudioTrackCoder

  init() throws {
    coder = try AudioTrackCoder(.pcm, Self.format, bitRate: nil, pool: FramePool(budget: 16 << 20))
  }

  /// A piece of one value.
  private func piece(at milliseconds: Double, count: Int, _ value: Float, silentCount: Int = 0) -> AudioPiece {
    AudioPiece(
      track: 0, time: UInt64(milliseconds * Double(Self.millisecond)), format: Self.format,
      samples: Array(repeating: value, count: count * 2)[...], silentCount: silentCount)
  }

  /// The samples of the first channel of all pieces. Checks that each sample begins where the one before it ended.
  private func coded(_ pieces: [AudioPiece]) throws -> [Float] {
    var samples: [MovieSample] = []
    for piece in pieces { samples += try coder.code(piece) }
    samples += try coder.finish()
    var end: UInt64 = 0
    var values: [Float] = []
    for sample in samples {
      #expect(sample.presentationTime == end)
      end = sample.presentationTime + sample.duration
      let count = Int(sample.duration) / 125_000
      values += sample.bytes.withUnsafeBytes { bytes in
        (0..<count).map { Float(bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int16.self)) / 32768 }
      }
    }
    return values
  }

  /// Packets for which there is no memory are missing from the track, and count as what it lacks.
  @Test func packetsWithoutMemoryCount() throws {
    let coder = try AudioTrackCoder(.pcm, Self.format, bitRate: nil, pool: FramePool(budget: 16 << 10))
    let samples = try coder.code(piece(at: 0, count: 16_000, 0.25)) + coder.finish()
    let kept = samples.reduce(0) { $0 + $1.duration }
    #expect(kept > 0 && coder.silence > 0)
    #expect(kept + coder.silence == 2_000_000_000)
  }

  @Test func piecesFollowOneAnother() throws {
    let values = try coded([piece(at: 0, count: 800, 0.25), piece(at: 100, count: 800, 0.5)])
    #expect(values == Array(repeating: 0.25, count: 800) + Array(repeating: 0.5, count: 800))
    #expect(coder.silence == 0)
  }

  /// Also at the start: sound that begins late leaves silence before it.
  @Test func silenceFillsGaps() throws {
    let values = try coded([piece(at: 50, count: 80, 0.25), piece(at: 3000, count: 80, 0.5)])
    #expect(values.count == 24_080)
    #expect(values[..<400].allSatisfy { $0 == 0 } && values[400..<480].allSatisfy { $0 == 0.25 })
    #expect(values[480..<24_000].allSatisfy { $0 == 0 } && values[24_000...].allSatisfy { $0 == 0.5 })
    #expect(coder.silence == (50 + 2940) * Self.millisecond)
  }

  @Test func theFirstOfTwoPiecesIsHeard() throws {
    let values = try coded([
      piece(at: 0, count: 800, 0.25), piece(at: 20, count: 80, 0.5), piece(at: 95, count: 80, 0.75),
    ])
    #expect(values == Array(repeating: 0.25, count: 800) + Array(repeating: 0.75, count: 40))
  }

  /// Rounded times, such as those of a camera's frames, move no sample.
  @Test func aSmallDifferenceMovesNothing() throws {
    let values = try coded([
      piece(at: 0, count: 800, 0.25), piece(at: 100.9, count: 80, 0.5), piece(at: 109.2, count: 80, 0.75),
    ])
    #expect(values.count == 960 && coder.silence == 0)
  }

  /// A microphone that comes later may have one channel and another rate. The track goes on as it began.
  @Test func anotherFormIsConverted() throws {
    let mono = AudioFormat(sampleRate: 4000, channelCount: 1)
    let other = (1...3).map { index in
      AudioPiece(
        track: 0, time: UInt64(100 * index) * Self.millisecond, format: mono,
        samples: Array(repeating: 0.5, count: 400)[...], silentCount: 0)
    }
    let values = try coded([piece(at: 0, count: 800, 0.25)] + other + [piece(at: 400, count: 800, 0.25)])
    #expect(values.count == 4000)
    #expect(values[..<800].allSatisfy { $0 == 0.25 } && values[3200...].allSatisfy { $0 == 0.25 })
    #expect(values[880..<3120].allSatisfy { abs($0 - 0.5) < 0.001 })
    #expect(coder.silence == 0)
  }

  @Test func silenceOfTheSourceIsCounted() throws {
    _ = try coded([piece(at: 0, count: 800, 0, silentCount: 400)])
    #expect(coder.silence == 50 * Self.millisecond)
  }
}

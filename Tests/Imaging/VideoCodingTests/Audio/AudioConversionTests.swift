import CaptureCore
import Foundation
import Testing

@testable import VideoCoding

/// Sound of any form in the form of its track: which channel goes where, and that no sample changes its time.
@Suite(.enabled(if: AudioCodec.pcm.isAvailable))
struct AudioConversionTests {
  private static let second: UInt64 = 1_000_000_000

  /// A piece whose samples are `values`.
  private func piece(
    _ values: [Float], rate: Int = 48_000, channels: Int, at time: UInt64 = 0, silentCount: Int = 0
  ) -> AudioPiece {
    AudioPiece(
      track: 2, time: time, format: AudioFormat(sampleRate: rate, channelCount: channels), samples: values[...],
      silentCount: silentCount, origin: .preRoll)
  }

  @Test(
    arguments: [
      (1, 2, [0.1, 0.1, 0.2, 0.2]), (2, 1, [0.15, 0.35]), (1, 3, [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]),
      (2, 3, [0.1, 0.2, 0, 0.3, 0.4, 0]), (4, 2, [0.1, 0.2, 0.5, 0.6]),
    ] as [(Int, Int, [Float])]) func channelsGoToTheirPlaces(from: Int, to: Int, expected: [Float]) throws
  {
    let samples: [Float] = Array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8].prefix(2 * from))
    let conversion = AudioConversion(to: AudioFormat(sampleRate: 48_000, channelCount: to))
    let made = try conversion.convert(piece(samples, channels: from, at: 7, silentCount: 1))
    #expect(made.count == 1 && made[0].format.channelCount == to)
    #expect(made[0].time == 7 && made[0].track == 2 && made[0].silentCount == 1)
    #expect(made[0].samples.count == expected.count)
    #expect(zip(made[0].samples, expected).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(try conversion.finish().isEmpty)
  }

  /// A tone in pieces keeps its phase when it is given another rate, so no sample moves and nothing is lost between
  /// pieces.
  @Test(arguments: [(16_000, 48_000), (44_100, 48_000), (96_000, 48_000), (48_000, 44_100)])
  func aToneKeepsItsPlace(from: Int, to: Int) throws {
    let conversion = AudioConversion(to: AudioFormat(sampleRate: to, channelCount: 1))
    let start = 3 * Self.second
    var made: [AudioPiece] = []
    for number in 0..<10 {
      let first = number * from / 10
      let tone = (first..<first + from / 10).map { Float(sin(2 * .pi * 440 * Double($0) / Double(from))) }
      made += try conversion.convert(
        piece(tone, rate: from, channels: 1, at: start + UInt64(number) * Self.second / 10))
    }
    made += try conversion.finish()
    var samples: [Float] = []
    for piece in made {
      let place = start + piece.format.nanoseconds(ofSamples: samples.count)
      #expect(piece.time == place && piece.format.sampleRate == to && piece.origin == .preRoll)
      samples += piece.samples
    }
    #expect(abs(samples.count - to) <= 1)
    // At both ends the resampler lacks the sound before or after.
    let errors = samples.indices.dropFirst(100).dropLast(100).map { index in
      abs(samples[index] - Float(sin(2 * .pi * 440 * Double(index) / Double(to))))
    }
    #expect(try #require(errors.max()) < 0.002)
  }

  /// After a gap the sound lies at its new time, and what the resampler still had at the old one.
  @Test func aGapBeginsAnew() throws {
    let conversion = AudioConversion(to: AudioFormat(sampleRate: 48_000, channelCount: 1))
    let sound = [Float](repeating: 0.5, count: 1600)
    let before = try conversion.convert(piece(sound, rate: 16_000, channels: 1))
    let after = try conversion.convert(piece(sound, rate: 16_000, channels: 1, at: Self.second, silentCount: 16))
    let rest = try conversion.finish()
    #expect(before.map(\.time) == [0] && after.count == 2 && rest.count == 1)
    #expect(abs(before[0].count + after[0].count - 4800) <= 1)
    #expect(after[1].time == Self.second && after[1].silentCount == 48)
    #expect(abs(after[1].count + rest[0].count - 4800) <= 1)
  }
}

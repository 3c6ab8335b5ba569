import CaptureCore
import CaptureTestKit
import Foundation
import SystemClocks
import Testing

/// How loud sound is, in decibels below full scale.
@Suite struct AudioMeterTests {
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 2)

  /// A block of 100 ms: a sine of 1,000 Hz on the first channel, silence on the second.
  private func block(_ amplitude: Double, at time: MonotonicInstant) -> AudioBlock {
    let samples = (0..<4800).flatMap { [Float(amplitude * sin(2 * .pi * Double($0) / 48)), 0] }
    return AudioBlock(format: format, time: time, samples: samples)
  }

  /// A sine has its peak at its amplitude and its mean 3 dB below; silence is the least level. Spans end every 50 ms,
  /// wherever blocks end.
  @Test func levelsAreThoseOfTheSound() {
    var meter = AudioMeter(format, rate: 20)
    let readings = meter.take(block(0.5, at: 1_000_000_000))
    #expect(readings.map(\.end) == [1_050_000_000, 1_100_000_000])
    for reading in readings {
      #expect(abs(reading.levels[0].peak + 6.02) < 0.05)
      #expect(abs(reading.levels[0].rms + 9.03) < 0.05)
      #expect(reading.levels[1] == AudioMeter.Level(peak: AudioMeter.silence, rms: AudioMeter.silence))
    }
  }

  /// A span may begin in one block and end in the next. Each begins anew.
  @Test func spansCrossBlocks() {
    var meter = AudioMeter(format, rate: 8)
    #expect(meter.take(block(1, at: 0)).isEmpty)
    let first = meter.take(block(0.1, at: 100_000_000))
    #expect(first.map(\.end) == [125_000_000])
    #expect(abs(first[0].levels[0].peak) < 0.01)
    let second = meter.take(block(0.1, at: 200_000_000))
    #expect(second.map(\.end) == [250_000_000])
    #expect(abs(second[0].levels[0].peak + 20) < 0.05)
  }
}

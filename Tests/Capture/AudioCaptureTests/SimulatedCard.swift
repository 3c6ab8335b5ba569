import CaptureTestKit
import Foundation
import SystemClocks

@testable import AudioCapture

/// A sound card with a clock of its own, whose stamps are not exact and whose sound is a sine of the monotonic clock,
/// so that a test can measure when each output sample was captured. A value.
struct SimulatedCard {
  static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  static let tone = 1000.0

  var drift: Double
  var sampleRate = 48_000
  var channelCount = 1
  /// The largest error of a stamp, in nanoseconds.
  var jitter = 300_000.0
  var random = SeededGenerator(seed: 1)
  /// The nanoseconds after ``start`` at which the present run began, and those at which the newest sample was captured.
  private(set) var begin = 0.0
  private(set) var now = 0.0
  private var read = 0

  init(drift: Double, sampleRate: Int = 48_000, jitter: Double = 300_000, seed: UInt64 = 1) {
    (self.drift, self.sampleRate, self.jitter) = (drift, sampleRate, jitter)
    random = SeededGenerator(seed: seed)
  }

  /// What the card gives after `nanoseconds` more.
  mutating func run(_ nanoseconds: Double = 10_000_000) -> PCMReading {
    let period = 1e9 / Double(sampleRate) / (1 + drift * 1e-6)
    let count = Int((nanoseconds / period).rounded())
    let samples = (0..<count).flatMap { index in
      [Float](repeating: Self.level(now + Double(index) * period), count: channelCount)
    }
    now += Double(count) * period
    read += count
    let error = Double.random(in: -jitter...jitter, using: &random)
    return PCMReading(
      samples: samples, time: Self.start + UInt64(max(0, now + error)), position: UInt64(read))
  }

  /// Loses the next nanoseconds and begins a new run.
  mutating func lose(_ nanoseconds: Double) {
    now += nanoseconds
    begin = now
    read = 0
  }

  static func level(_ nanoseconds: Double) -> Float { Float(0.5 * sin(2 * .pi * tone * nanoseconds * 1e-9)) }

  /// By how many nanoseconds the sound of `samples`, the first of which is said to be of `time`, was captured later
  /// than it is said to be; and the strength of the tone. The length of `samples` must be whole periods of the tone.
  static func error(of samples: [Float], at time: MonotonicInstant, sampleRate: Int) -> (Double, strength: Double) {
    var (sine, cosine) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let moment = Double(time.signedNanoseconds(since: start)) + Double(index) * 1e9 / Double(sampleRate)
      sine += Double(sample) * sin(2 * .pi * tone * moment * 1e-9)
      cosine += Double(sample) * cos(2 * .pi * tone * moment * 1e-9)
    }
    let strength = 2 * (sine * sine + cosine * cosine).squareRoot() / Double(samples.count)
    return (atan2(cosine, sine) / (2 * .pi * tone) * 1e9, strength)
  }
}

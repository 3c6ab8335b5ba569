internal import CInterpolation
internal import SystemClocks

/// The sound of a card from a start or a recovery to the next loss, and where in it the output is. A value.
struct SoundRun: Hashable, Sendable {
  /// Within how many nanoseconds an error of the position is corrected. A short time would be audible.
  private static let correction = 300e6
  /// The largest change of pitch that a correction may cause. A change ten times as large is hard to hear.
  private static let largestCorrection = 500e-6
  /// An error above this many nanoseconds is no drift: samples were lost without the card's telling, and the output
  /// jumps.
  private static let jump = 20e6

  /// The samples before the first output sample of a stream. Without them, the interpolation would take the beginning
  /// for a jump from silence, and its output would be louder than the sound.
  static let lead = Int(CINTERPOLATION_REACH)

  private let channelCount: Int
  private let period: Double
  private(set) var clock: SampleClock
  private var samples: [Float] = []
  /// The position of the first sample of `samples`.
  private var first: UInt64 = 0
  /// The position at which the next output sample lies; nil before the first one.
  private var position: Double?

  init(sampleRate: Int, channelCount: Int, continuing former: SampleClock? = nil) {
    self.channelCount = channelCount
    period = 1e9 / Double(sampleRate)
    clock = SampleClock(sampleRate: sampleRate, continuing: former)
  }

  /// The number of samples of each channel that the card gave.
  var end: UInt64 { first + UInt64(samples.count / channelCount) }

  mutating func append(_ new: [Float]) { samples += new }

  mutating func note(time: MonotonicInstant, position: UInt64) { clock.note(time: time, position: position) }

  /// Whether the run has the sound of `count` samples from `time` on.
  func covers(_ count: Int, from time: MonotonicInstant) -> Bool {
    guard let start = position ?? clock.position(at: time) else { return false }
    return start + Double(count) * (clock.samplesPerSample + Self.largestCorrection)
      + Double(CINTERPOLATION_REACH) + 1 < Double(end)
  }

  /// The next `count` output samples of each channel, the first of them at `time`, and which of them the run has. The
  /// others are silence.
  mutating func take(_ count: Int, from time: MonotonicInstant) -> (samples: [Float], known: Range<Int>) {
    let target = clock.position(at: time) ?? 0
    var start = position ?? target
    if abs(target - start) * period > Self.jump { start = target }
    // The clock learns while the output goes on. The output follows it slowly, so that nobody hears that.
    let wanted = (target - start) * period / Self.correction
    let step = clock.samplesPerSample + min(max(wanted, -Self.largestCorrection), Self.largestCorrection)
    position = start + Double(count) * step
    let output = [Float](unsafeUninitializedCapacity: count * channelCount) { output, written in
      samples.withUnsafeBufferPointer { samples in
        // An empty array may have no address.
        guard let sound = samples.baseAddress else {
          output.initialize(repeating: 0)
          return
        }
        cinterpolation_interpolate(
          sound, samples.count / channelCount, Int32(channelCount), start - Double(first), step,
          output.baseAddress!, count)
      }
      written = count * channelCount
    }
    let known = Self.index(of: 0, start, step, count)..<Self.index(of: Double(end), start, step, count)
    forget()
    return (output, known)
  }

  /// The first of `count` output samples that is not before `position`.
  private static func index(of position: Double, _ start: Double, _ step: Double, _ count: Int) -> Int {
    Int(min(max(((position - start) / step).rounded(.up), 0), Double(count)))
  }

  /// Forgets the samples that no output needs any more.
  private mutating func forget() {
    guard let position else { return }
    let needed = UInt64(max(0, position - Double(CINTERPOLATION_REACH) - 1))
    guard needed > first + 4096 else { return }
    let count = min(Int(needed - first), samples.count / channelCount)
    samples.removeFirst(count * channelCount)
    first += UInt64(count)
  }
}

internal import CaptureCore
internal import SystemClocks

/// Moves the sound of a card from the card's clock to the grid of the monotonic clock, and fills gaps with silence. A
/// value.
///
/// Output sample n lies n nominal periods after the first one. The card's samples between which this instant lies are
/// found by a ``SampleClock``, so that an error of one block is not carried into the next.
struct DriftCompensation: Sendable {
  /// What a sink is to be told.
  enum Event: Sendable {
    case loss(AudioLoss)
    case block(AudioBlock)
  }

  /// How many pairs of an instant and a position a run needs before its first sample has a time.
  static let pairsNeeded = 3
  /// The rates that the grid serves: blocks of 10 or 20 ms are whole samples and whole nanoseconds at each, so that
  /// each block begins exactly where the one before it ended.
  static func serves(_ sampleRate: Int) -> Bool { sampleRate >= 8000 && sampleRate % 50 == 0 }

  private let format: AudioFormat
  /// The number of samples of each channel in a block.
  private let blockCount: Int
  private var run: SoundRun
  /// The run before a gap whose end the output has not reached; nil outside of a gap.
  private var former: SoundRun?
  /// Why the former run ended.
  private var cause = AudioLoss.Cause.overrun
  private var wasLossTold = false
  /// The instant of the first output sample; nil before it.
  private var start: MonotonicInstant?
  /// The number of output samples of each channel until now.
  private var count = 0

  /// - Parameter format: its rate is one that ``serves(_:)`` accepts.
  init(_ format: AudioFormat) {
    self.format = format
    blockCount = format.sampleRate % 100 == 0 ? format.sampleRate / 100 : format.sampleRate / 50
    run = SoundRun(sampleRate: format.sampleRate, channelCount: format.channelCount)
  }

  /// By how many millionths the card's clock is faster than the monotonic one; nil until this is known.
  var drift: Double? { run.clock.drift ?? former?.clock.drift }

  /// Takes what was read from the card.
  mutating func take(_ reading: PCMReading) -> [Event] {
    run.append(reading.samples)
    run.note(time: reading.time, position: reading.position)
    guard run.clock.count >= Self.pairsNeeded, let begin = run.clock.time(of: 0) else { return [] }
    if start == nil { start = run.clock.time(of: Double(SoundRun.lead)) }
    var events: [Event] = []
    if former != nil { cross(until: begin, &events) }
    while former == nil, run.covers(blockCount, from: next) {
      let (samples, known) = run.take(blockCount, from: next)
      emit(samples, silent: blockCount - known.count, &events)
    }
    return events
  }

  /// Notes that samples were lost. The next reading is the beginning of a new run, whose positions count from 0.
  mutating func lose(_ cause: AudioLoss.Cause) {
    let ended = run
    run = SoundRun(sampleRate: format.sampleRate, channelCount: format.channelCount, continuing: ended.clock)
    // A run that was too short to have a time becomes a part of the gap.
    guard start != nil, former == nil else { return }
    former = ended
    self.cause = cause
    wasLossTold = false
  }

  /// The instant of the next output sample.
  private var next: MonotonicInstant { start! + format.nanoseconds(ofSamples: count) }

  /// Gives what is left of the former run, then silence, until the new run begins at `begin`.
  private mutating func cross(until begin: MonotonicInstant, _ events: inout [Event]) {
    guard var ended = former, let lost = ended.clock.time(of: Double(ended.end)) else { return }
    if !wasLossTold {
      events.append(.loss(AudioLoss(cause, time: lost, nanoseconds: begin.nanoseconds(since: lost))))
      wasLossTold = true
    }
    while next < begin {
      let silence = next >= lost ? format.samples(in: begin.nanoseconds(since: next)) / blockCount * blockCount : 0
      if silence > 0 {
        // One block is at most a second long, so that no gap asks for much memory at once.
        let part = min(silence, format.sampleRate / blockCount * blockCount)
        emit([Float](repeating: 0, count: part * format.channelCount), silent: part, &events)
        continue
      }
      let reachesBegin = next + format.nanoseconds(ofSamples: blockCount) > begin
      if reachesBegin, !run.covers(blockCount, from: next) {
        former = ended
        return
      }
      var (samples, known) = ended.take(blockCount, from: next)
      let new = reachesBegin ? run.take(blockCount, from: next) : nil
      for index in 0..<blockCount where !known.contains(index) {
        let isNew = new?.known.contains(index) ?? false
        for place in index * format.channelCount..<(index + 1) * format.channelCount {
          samples[place] = isNew ? new!.samples[place] : 0
        }
      }
      let overlap = new.map { known.clamped(to: $0.known).count } ?? 0
      emit(samples, silent: blockCount - known.count - (new?.known.count ?? 0) + overlap, &events)
    }
    former = nil
  }

  private mutating func emit(_ samples: [Float], silent: Int, _ events: inout [Event]) {
    events.append(.block(AudioBlock(format: format, time: next, samples: samples, silentCount: silent)))
    count += samples.count / format.channelCount
  }
}

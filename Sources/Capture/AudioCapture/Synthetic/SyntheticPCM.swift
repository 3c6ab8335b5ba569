internal import CaptureCore
internal import Glibc
internal import Locking
internal import SystemClocks

/// A sound card made of software: a clock of its own, which may drift, a buffer that can run over, and faults.
final class SyntheticPCM: PCM {
  /// The nanoseconds from one interrupt of the card to the next.
  static let interrupt: UInt64 = 10_000_000
  /// The card keeps so many nanoseconds of sound. Older sound is lost when nobody reads.
  static let buffer: UInt64 = 500_000_000

  private struct State {
    /// The error that every call gives from an instant on; it ends or interrupts the stream.
    var failure: (error: PCMError, from: MonotonicInstant)?
    /// Until when the card gives nothing.
    var stalledUntil = MonotonicInstant.epoch
    /// When the card began to count, and how many samples were read since then.
    var start: MonotonicInstant
    var read: UInt64 = 0
    /// The nanoseconds from one sample to the next.
    var period: Double

    /// When there is something to read.
    var due: MonotonicInstant {
      let interrupts = UInt64(Double(read) * period + 1) / SyntheticPCM.interrupt
      return max(start + (interrupts + 1) * SyntheticPCM.interrupt, stalledUntil)
    }
  }

  private let signal: TimeSignal
  private let format: AudioFormat
  private let alarm = Alarm()
  private let now: @Sendable () -> MonotonicInstant
  private let state: Locked<State>

  /// - Parameters:
  ///   - drift: by how many millionths the card's clock is too fast.
  ///   - now: the present instant.
  init(
    _ signal: TimeSignal, _ format: AudioFormat, drift: Double,
    now: @escaping @Sendable () -> MonotonicInstant = { .now() }
  ) {
    self.signal = signal
    self.format = format
    self.now = now
    state = Locked(State(start: now(), period: Self.period(format, drift)))
  }

  func wait(until deadline: MonotonicInstant) throws(PCMError) -> Bool {
    let due = try check { $0.due }
    if now() < due { alarm.sleep(until: min(due, deadline)) }
    return try check { $0.due } <= now()
  }

  func read() throws(PCMError) -> PCMReading? {
    let time = now()
    // The card counts whole interrupts, and the instant of the last one is its time stamp.
    let (begin, period, position, count) = try check { state -> (MonotonicInstant, Double, UInt64, Int) in
      guard time >= state.due else { return (time, 1, 0, 0) }
      let interrupts = time.nanoseconds(since: state.start) / Self.interrupt
      let position = UInt64(Double(interrupts * Self.interrupt) / state.period)
      let first = state.read
      guard Double(position - first) * state.period <= Double(Self.buffer) else {
        state.failure = (PCMError(call: "snd_pcm_readi", errno: EPIPE), time)
        return (time, 1, 0, 0)
      }
      state.read = position
      let begin = state.start + UInt64(Double(first) * state.period)
      return (begin, state.period, position, Int(position - first))
    }
    guard count > 0 else {
      _ = try check { _ in }
      return nil
    }
    let samples = signal.render(
      count, channelCount: format.channelCount, from: WallClock.shared.wallInstant(at: begin), period: period)
    return PCMReading(samples: samples, time: begin + UInt64(Double(count) * period), position: position)
  }

  func restart() throws(PCMError) {
    let time = now()
    try state.withLock { state throws(PCMError) in
      if let failure = state.failure?.error, failure.loss == nil { throw failure }
      state.failure = nil
      state.start = time
      state.read = 0
    }
  }

  func rest(until deadline: MonotonicInstant) { alarm.sleep(until: deadline) }

  func close() {}

  func wake() { alarm.ring() }

  /// Ends the stream.
  func fail(_ error: PCMError) {
    state.withLock { $0.failure = (error, .epoch) }
    alarm.ring()
  }

  /// Loses what the card captures in the next nanoseconds, and says so afterwards.
  func lose(_ nanoseconds: UInt64, as error: PCMError) {
    let end = now() + nanoseconds
    state.withLock { state in
      if state.failure == nil { (state.failure, state.stalledUntil) = ((error, end), end) }
    }
    alarm.ring()
  }

  /// The card gives nothing until `instant`. What it captures meanwhile is lost as soon as its buffer is full.
  func stall(until instant: MonotonicInstant) {
    state.withLock { $0.stalledUntil = instant }
    alarm.ring()
  }

  /// Changes the clock of the card from the newest sample on. The stream goes on.
  func drift(_ drift: Double) {
    state.withLock { state in
      let newest = state.start + UInt64(Double(state.read) * state.period)
      state.period = Self.period(format, drift)
      state.start = newest - UInt64(Double(state.read) * state.period)
    }
  }

  /// The nanoseconds from one sample to the next when the clock is `drift` millionths too fast.
  private static func period(_ format: AudioFormat, _ drift: Double) -> Double {
    1e9 / Double(format.sampleRate) / (1 + drift * 1e-6)
  }

  private func check<R: Sendable>(_ body: (inout State) -> R) throws(PCMError) -> R {
    let time = now()
    return try state.withLock { state throws(PCMError) in
      if let failure = state.failure, failure.from <= time { throw failure.error }
      return body(&state)
    }
  }
}

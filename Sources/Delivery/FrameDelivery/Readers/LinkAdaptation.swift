internal import CaptureCore
internal import SystemClocks

/// Finds what a reader's link carries. While the link is the bottleneck, the adaptation lowers quality, then rate, then
/// size. Where there is room, the adaptation raises them again, one step at a time. A value that sees only one reader.
///
/// The link is the bottleneck when it is busy with one frame until the next frame waits. A link with room looks idle
/// however much room there is, so raising is a trial. A trial that fails is repeated after twice the time, up to about
/// a minute; each step has a waiting time of its own. A link whose speed lies between two steps is therefore overloaded
/// for only a moment a minute, and a link that has become fast again is used within about a minute.
struct LinkAdaptation: Sendable {
  /// A step of the adaptation. `bytes` compares a frame at this step with a frame as the reader asked for it, by what
  /// JPEG of a camera's pictures usually takes.
  struct Step: Hashable, Sendable {
    var reduction: Reduction
    var bytes: Double
  }

  /// The steps of compressed pictures.
  static let compressed: [Step] = [
    Step(reduction: .none, bytes: 1),
    Step(reduction: Reduction(quality: 3), bytes: 0.65),
    Step(reduction: Reduction(quality: 2), bytes: 0.5),
    Step(reduction: Reduction(quality: 2, every: 2), bytes: 0.5),
    Step(reduction: Reduction(quality: 2, every: 2, scale: 48), bytes: 0.32),
    Step(reduction: Reduction(quality: 2, every: 2, scale: 32), bytes: 0.17),
    Step(reduction: Reduction(quality: 2, every: 2, scale: 24), bytes: 0.11),
    Step(reduction: Reduction(quality: 2, every: 2, scale: 16), bytes: 0.06),
  ]
  /// The steps of raw pictures, which have no quality.
  static let raw: [Step] = [
    Step(reduction: .none, bytes: 1),
    Step(reduction: Reduction(every: 2), bytes: 1),
    Step(reduction: Reduction(every: 2, scale: 48), bytes: 0.57),
    Step(reduction: Reduction(every: 2, scale: 32), bytes: 0.25),
    Step(reduction: Reduction(every: 2, scale: 24), bytes: 0.14),
    Step(reduction: Reduction(every: 2, scale: 16), bytes: 0.07),
  ]

  /// The adaptation judges a window of time once the window has this many frames and is this long, in nanoseconds.
  private static let framesPerWindow = 3
  private static let window: UInt64 = 300_000_000
  /// The parts of the time for which the link may be busy. Above `most` the adaptation lowers; then it looks for a step
  /// that is expected to keep the link busy for at most `wanted`.
  private static let (most, wanted) = (0.9, 0.7)
  /// How long the link must have had room before a trial, at first and after failed trials; and how soon after the
  /// beginning of a trial a slow link counts as the failure of that trial. Nanoseconds.
  private static let (shortestWait, longestWait): (UInt64, UInt64) = (4_000_000_000, 64_000_000_000)
  private static let trial: UInt64 = 4_000_000_000

  private let steps: [Step]
  private var level = 0
  /// How long the link must have had room before a trial of each step, nanoseconds.
  private var waits: [UInt64]
  /// When the present trial began. Nil when no trial goes on.
  private var raisedAt: MonotonicInstant?
  /// Since when the link has had room. Nil while it has none.
  private var roomSince: MonotonicInstant?
  /// How many of the next frames are not counted, because frames of the former step may still be on their way.
  private var ignored = 0
  private var windowStart: MonotonicInstant?
  private var busy: UInt64 = 0
  private var frames = 0

  init(steps: [Step]) {
    self.steps = steps
    waits = Array(repeating: Self.shortestWait, count: steps.count)
  }

  var reduction: Reduction { steps[level].reduction }

  /// Takes note that the link was free again after a frame.
  ///
  /// - Parameters:
  ///   - busy: nanoseconds from handing over the frame until the next frame could have been handed over.
  ///   - period: nanoseconds from frame to frame, as frames come to this reader now. 0 when unknown.
  /// - Returns: whether ``reduction`` has changed.
  mutating func sent(busy: UInt64, period: UInt64, now: MonotonicInstant) -> Bool {
    if ignored > 0 {
      ignored -= 1
      windowStart = now
      return false
    }
    let start = windowStart ?? now - busy
    windowStart = start
    self.busy += busy
    frames += 1
    let length = now.nanoseconds(since: start)
    guard frames >= Self.framesPerWindow, length >= Self.window, period > 0 else { return false }
    let use = Double(self.busy) / Double(length)
    let load = Double(self.busy) / Double(frames) / Double(period)
    beginWindow(now)
    if use > Self.most { return lower(load, now) }
    if let raisedAt, now.nanoseconds(since: raisedAt) > Self.trial {
      (self.raisedAt, waits[level]) = (nil, Self.shortestWait)
    }
    return raise(load, now)
  }

  /// Lowers to the first step whose frames the link would carry in the part ``wanted`` of their period, or else to the
  /// last step. Returns false at the last step.
  private mutating func lower(_ load: Double, _ now: MonotonicInstant) -> Bool {
    roomSince = nil
    if raisedAt != nil { waits[level] = min(2 * waits[level], Self.longestWait) }
    raisedAt = nil
    guard level < steps.count - 1 else { return false }
    let next = (level + 1..<steps.count).first { predicted(load, at: $0) <= Self.wanted }
    return move(to: next ?? steps.count - 1, now)
  }

  /// Raises by one step when the frames of that step would leave room and the link has had room for long enough.
  private mutating func raise(_ load: Double, _ now: MonotonicInstant) -> Bool {
    guard level > 0, predicted(load, at: level - 1) <= Self.wanted else {
      roomSince = nil
      return false
    }
    guard let since = roomSince else {
      roomSince = now
      return false
    }
    guard now.nanoseconds(since: since) >= waits[level - 1] else { return false }
    raisedAt = now
    return move(to: level - 1, now)
  }

  private func predicted(_ load: Double, at other: Int) -> Double {
    let (from, to) = (steps[level], steps[other])
    return load * to.bytes / from.bytes * Double(from.reduction.every) / Double(to.reduction.every)
  }

  private mutating func move(to level: Int, _ now: MonotonicInstant) -> Bool {
    self.level = level
    roomSince = nil
    ignored = 2
    return true
  }

  private mutating func beginWindow(_ now: MonotonicInstant) { (windowStart, busy, frames) = (now, 0, 0) }
}

/// How much less a reader gets than it asked for, because its link is slow.
struct Reduction: Hashable, Sendable {
  /// The quality, in quarters of the quality that the reader asked for.
  var quality = 4
  /// The reader gets every n-th of the frames that it asked for.
  var every = 1
  /// The size, in 64ths of the sides that the reader asked for.
  var scale = PictureFit.fullScale

  static let none = Reduction()
}

/// Measures a reader's link for the reader's ``LinkAdaptation``. A value; callers pass the time in.
struct LinkWatch: Sendable {
  private var adaptation: LinkAdaptation
  /// Nanoseconds between frames as they come to the reader, smoothed. 0 when unknown.
  private var period: UInt64 = 0
  /// When the newest frame for the reader was captured.
  private var newest: MonotonicInstant?
  /// When the frame that is on its way was handed over. Nil when no frame is on its way.
  private var handedOver: MonotonicInstant?

  init(_ adaptation: LinkAdaptation) { self.adaptation = adaptation }

  var reduction: Reduction { adaptation.reduction }

  /// Takes note that a frame came for the reader.
  ///
  /// - Parameter instant: when the frame was captured.
  mutating func came(captured instant: MonotonicInstant) {
    defer { newest = instant }
    guard let newest, newest < instant else { return }
    let interval = instant.nanoseconds(since: newest)
    period = period == 0 ? interval : (3 * period + interval) / 4
  }

  /// Takes note that the reader was handed a frame.
  mutating func handOver(now: MonotonicInstant) { handedOver = now }

  /// Takes note that the reader could be handed the next frame. Only the first call after a frame counts.
  ///
  /// - Returns: the reduction for the reader from now on. Nil when the reduction has not changed.
  mutating func isFree(now: MonotonicInstant) -> Reduction? {
    guard let since = handedOver else { return nil }
    handedOver = nil
    guard adaptation.sent(busy: now.nanoseconds(since: since), period: period, now: now) else { return nil }
    period = 0
    return adaptation.reduction
  }
}

/// The frames of an output that a reader wants.
struct FramePace: Hashable, Sendable {
  /// Frames per second at most. Nil: every frame.
  var maxRate: Rational?
  /// The reader wants every n-th of the frames that `maxRate` leaves.
  var every = 1

  /// How many frames per second the reader gets of a camera that gives `rate`.
  func rate(of rate: Rational) -> Rational {
    let most = min(maxRate ?? rate, rate)
    let (denominator, overflows) = most.denominator.multipliedReportingOverflow(by: UInt32(clamping: every))
    return overflows ? most : Rational(most.numerator, denominator)
  }
}

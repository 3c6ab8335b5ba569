internal import CaptureCore

/// Finds what a reader's link carries: lowers quality, then rate, then size while the link is the bottleneck, and raises
/// them again, one step at a time, where there is room. A value; it sees nothing but one reader.
///
/// The link is the bottleneck when it is busy with one frame until the next one waits. A link with room looks idle however
/// much room there is, so raising is a trial: one that fails is repeated after twice the time, up to a minute, each step on its
/// own. So a link between two steps costs a moment a minute, and one that became fast again is used after that.
struct LinkAdaptation: Sendable {
  /// A step, and the bytes of a frame compared with those asked for: what JPEG of a camera's pictures usually takes.
  struct Step: Hashable, Sendable {
    var reduction: Reduction
    var bytes: Double
  }

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
  /// Raw pictures have no quality.
  static let raw: [Step] = [
    Step(reduction: .none, bytes: 1),
    Step(reduction: Reduction(every: 2), bytes: 1),
    Step(reduction: Reduction(every: 2, scale: 48), bytes: 0.57),
    Step(reduction: Reduction(every: 2, scale: 32), bytes: 0.25),
    Step(reduction: Reduction(every: 2, scale: 24), bytes: 0.14),
    Step(reduction: Reduction(every: 2, scale: 16), bytes: 0.07),
  ]

  /// A window is judged when it has so many frames and is so long, nanoseconds.
  private static let framesPerWindow = 3
  private static let window: UInt64 = 300_000_000
  /// The part of the time that the link may be busy.
  private static let (most, wanted) = (0.9, 0.7)
  /// How long a link must have had room before a trial, and how soon after it a failure is one of the trial.
  private static let (shortestWait, longestWait): (UInt64, UInt64) = (4_000_000_000, 64_000_000_000)
  private static let trial: UInt64 = 4_000_000_000

  private let steps: [Step]
  private var level = 0
  /// Before a trial of each step.
  private var waits: [UInt64]
  private var raisedAt: UInt64?
  /// Since when the link has had room.
  private var roomSince: UInt64?
  /// Frames of the step before may still be on their way: not counted.
  private var ignored = 0
  private var windowStart: UInt64?
  private var busy: UInt64 = 0
  private var frames = 0

  init(steps: [Step]) {
    self.steps = steps
    waits = Array(repeating: Self.shortestWait, count: steps.count)
  }

  var reduction: Reduction { steps[level].reduction }

  /// Takes that the link was free again after a frame.
  ///
  /// - Parameters:
  ///   - busy: nanoseconds from handing over the frame until the next one could have been.
  ///   - period: nanoseconds from frame to frame, as they come to this reader now.
  ///   - now: nanoseconds of any clock that does not go back.
  /// - Returns: whether ``reduction`` is another now.
  mutating func sent(busy: UInt64, period: UInt64, now: UInt64) -> Bool {
    if ignored > 0 {
      ignored -= 1
      windowStart = now
      return false
    }
    let start = windowStart ?? (now > busy ? now - busy : 0)
    windowStart = start
    self.busy += busy
    frames += 1
    guard frames >= Self.framesPerWindow, now - start >= Self.window, period > 0 else { return false }
    let use = Double(self.busy) / Double(now - start)
    let load = Double(self.busy) / Double(frames) / Double(period)
    beginWindow(now)
    if use > Self.most { return lower(load, now) }
    if let raisedAt, now - raisedAt > Self.trial { (self.raisedAt, waits[level]) = (nil, Self.shortestWait) }
    return raise(load, now)
  }

  /// To the first step whose frames the link carries in ``wanted`` of their period.
  private mutating func lower(_ load: Double, _ now: UInt64) -> Bool {
    roomSince = nil
    if raisedAt != nil { waits[level] = min(2 * waits[level], Self.longestWait) }
    raisedAt = nil
    guard level < steps.count - 1 else { return false }
    let next = (level + 1..<steps.count).first { predicted(load, at: $0) <= Self.wanted }
    return move(to: next ?? steps.count - 1, now)
  }

  /// By one step, when frames of that size would leave room and there has been room for long enough.
  private mutating func raise(_ load: Double, _ now: UInt64) -> Bool {
    guard level > 0, predicted(load, at: level - 1) <= Self.wanted else {
      roomSince = nil
      return false
    }
    guard let since = roomSince else {
      roomSince = now
      return false
    }
    guard now - since >= waits[level - 1] else { return false }
    raisedAt = now
    return move(to: level - 1, now)
  }

  private func predicted(_ load: Double, at other: Int) -> Double {
    let (from, to) = (steps[level], steps[other])
    return load * to.bytes / from.bytes * Double(from.reduction.every) / Double(to.reduction.every)
  }

  private mutating func move(to level: Int, _ now: UInt64) -> Bool {
    self.level = level
    roomSince = nil
    ignored = 2
    return true
  }

  private mutating func beginWindow(_ now: UInt64) { (windowStart, busy, frames) = (now, 0, 0) }
}

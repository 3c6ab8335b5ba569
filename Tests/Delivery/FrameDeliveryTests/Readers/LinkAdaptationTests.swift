import CaptureCore
import SystemClocks
import Testing

@testable import FrameDelivery

/// A simulated camera of 30 frames a second with a link and a reader, on a clock of the test.
private struct Link {
  static let period: UInt64 = 33_333_333

  var adaptation = LinkAdaptation(steps: LinkAdaptation.compressed)
  /// How many frames the link carries in a second when they are as the reader asked for them.
  var framesPerSecond: Double
  /// How much transmission the buffer of a socket takes in, in nanoseconds. The buffer hides the beginning of an
  /// overload.
  var buffer: UInt64 = 0
  var now: UInt64 = 1_000_000_000
  private var free: UInt64 = 0
  /// The reductions, each with the time of its beginning in nanoseconds.
  private(set) var changes: [(at: UInt64, Reduction)] = []
  /// The ages of the frames on arrival, each with the time of the arrival. Nanoseconds.
  private(set) var ages: [(at: UInt64, UInt64)] = []

  init(_ framesPerSecond: Double, buffer: UInt64 = 0) {
    self.framesPerSecond = framesPerSecond
    self.buffer = buffer
  }

  private var bytes: Double { LinkAdaptation.compressed.first { $0.reduction == adaptation.reduction }!.bytes }

  mutating func run(seconds: Double) {
    let end = now + UInt64(seconds * 1e9)
    while now < end {
      // The reader gets the newest frame, or the next one when it has the newest already.
      let step = Self.period * UInt64(adaptation.reduction.every)
      let captured = now / step * step
      let transmission = UInt64(bytes / framesPerSecond * 1e9)
      let arrival = max(free, now) + transmission
      free = arrival
      let ready = max(now, arrival > buffer ? arrival - buffer : 0)
      ages.append((arrival, arrival - captured))
      if adaptation.sent(busy: ready - now, period: step, now: MonotonicInstant(nanoseconds: ready)) {
        changes.append((ready, adaptation.reduction))
      }
      now = max(ready, captured + step)
    }
  }
}

/// How quality, rate and size for a reader follow what the reader's link carries.
@Suite struct LinkAdaptationTests {
  @Test func aFastLinkCausesNoReduction() {
    var link = Link(100)
    link.run(seconds: 60)
    #expect(link.changes.isEmpty && link.adaptation.reduction == .none)
  }

  /// A single frame that takes five periods does not show that the link is slow.
  @Test func oneHiccupChangesNothing() {
    var adaptation = LinkAdaptation(steps: LinkAdaptation.compressed)
    var now = MonotonicInstant.epoch
    for index in 0..<300 {
      now = now + Link.period
      let changed = adaptation.sent(busy: index == 100 ? 5 * Link.period : 2_000_000, period: Link.period, now: now)
      #expect(!changed)
      if index == 100 { now = now + 5 * Link.period }
    }
  }

  /// The less the link carries, the further the adaptation goes along its steps.
  @Test func qualityFallsBeforeRateAndRateBeforeSize() {
    for (carried, expected) in [
      (31.0, Reduction(quality: 3)), (25, Reduction(quality: 2)), (12, Reduction(quality: 2, every: 2)),
      (3, Reduction(quality: 2, every: 2, scale: 24)), (1, Reduction(quality: 2, every: 2, scale: 16)),
    ] {
      var link = Link(carried)
      link.run(seconds: 3)
      #expect(link.adaptation.reduction == expected, "\(carried)")
    }
  }

  /// A link that carries a tenth of the frames is overloaded only at first. From three seconds on, nine of ten frames
  /// are at most two periods old, also when a buffer hides the overload.
  @Test(arguments: [0, 200_000_000] as [UInt64]) func aTenthOfTheBandwidthSoonCarriesFreshFrames(buffer: UInt64) {
    var link = Link(3, buffer: buffer)
    link.run(seconds: 20)
    #expect(link.ages.contains { $0.1 > 5 * Link.period }, "the link was overloaded at first")
    let later = link.ages.filter { $0.at > 4_000_000_000 }
    // The exceptions are the few frames of trials that failed.
    let late = later.filter { $0.1 > 2 * Link.period }
    #expect(late.count * 10 < later.count, "\(late.count) of \(later.count)")
  }

  /// A trial that fails is repeated after twice the time, up to about a minute, so people see few changes.
  @Test func aLinkBetweenTwoStepsDoesNotOscillate() {
    // The buffer looks like room on the link until it is full.
    var link = Link(8, buffer: 200_000_000)
    link.run(seconds: 600)
    // Trials begin after 4, 8, … and 64 seconds. Each trial has its way back, which may be a step longer.
    #expect(link.changes.count <= 4 * (5 + 600 / 64) + 2, "\(link.changes.count) changes")
    let highest = link.changes.map(\.1.quality).max()
    let trials = link.changes.filter { $0.1.quality == highest && $0.1.every == 1 }.map(\.at)
    #expect(trials.count > 3 && zip(trials, trials.dropFirst()).suffix(2).allSatisfy { $1 - $0 > 60_000_000_000 })
  }

  /// When the link becomes fast again, the reductions end one step at a time.
  @Test func reductionsEndStepByStep() {
    var link = Link(3)
    link.run(seconds: 5)
    #expect(link.adaptation.reduction != .none)
    link.framesPerSecond = 300
    link.run(seconds: 60)
    #expect(link.adaptation.reduction == .none)
    let levels = link.changes.map { change in LinkAdaptation.compressed.firstIndex { $0.reduction == change.1 }! }
    let lowest = levels.max()!
    #expect(levels.suffix(lowest) == Array((0..<lowest).reversed())[...], "one step at a time")
  }

  /// On a link that carries too little even at the last step, the adaptation stays at that step.
  @Test func theLastStepStaysOnAVerySlowLink() {
    var link = Link(0.1)
    link.run(seconds: 120)
    #expect(link.adaptation.reduction == LinkAdaptation.compressed.last!.reduction)
    #expect(link.changes.count <= 2)
  }

  /// Raw pictures have no quality to lower. In both lists, no step takes more bytes than the step before.
  @Test func rawStepsDoNotChangeTheQuality() {
    #expect(LinkAdaptation.raw.allSatisfy { $0.reduction.quality == 4 })
    for steps in [LinkAdaptation.raw, LinkAdaptation.compressed] {
      #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.bytes >= $1.bytes && $0.reduction != $1.reduction })
    }
  }
}

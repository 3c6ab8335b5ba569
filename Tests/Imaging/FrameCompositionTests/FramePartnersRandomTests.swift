import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import FrameComposition

/// Compositions of cameras that lose frames, start again, are unplugged and are late. What must hold always, holds.
@Suite(.computing) struct FramePartnersRandomTests {
  /// A camera as chance made it.
  private struct Camera {
    var period: Double
    var delay: Double
    /// By which share the delay differs from frame to frame.
    var spread = 0.2
    var jitter: Double
    var loss: Double
    /// The milliseconds in which the camera is away; its stream is another one afterwards.
    var away: Range<Double>?
  }

  private struct Arrival {
    var frame: CapturedFrame
    var at: MonotonicInstant
  }

  private static func camera(_ random: inout SeededGenerator) -> Camera {
    let gone = Double.random(in: 200...1500, using: &random)
    return Camera(
      period: [1000.0 / 60, 1000.0 / 30, 40, 1000.0 / 15, 100].randomElement(using: &random)!,
      delay: .random(in: 1...60, using: &random), jitter: .random(in: 0...0.1, using: &random),
      loss: Bool.random(using: &random) ? 0 : .random(in: 0...0.3, using: &random),
      away: Int.random(in: 0..<3, using: &random) == 0 ? gone..<gone + .random(in: 100...800, using: &random) : nil)
  }

  /// The frames of two seconds, in the order in which they come.
  private static func arrivals(_ camera: Camera, _ input: String, _ random: inout SeededGenerator) -> [Arrival] {
    var arrivals: [Arrival] = []
    var (sequence, stream, missing): (UInt64, UInt64, UInt64) = (0, 1, 0)
    var last = MonotonicInstant.epoch
    let phase = Double.random(in: 100...100 + camera.period, using: &random)
    for tick in 0..<Int(2000 / camera.period) {
      let ideal = phase + Double(tick) * camera.period
      if camera.away?.contains(ideal) == true {
        if stream == 1 { (sequence, stream) = (0, 2) }
        continue
      }
      defer { sequence += 1 }
      if Double.random(in: 0..<1, using: &random) < camera.loss {
        missing += 1
        continue
      }
      let captured = ideal + camera.period * .random(in: -camera.jitter...camera.jitter, using: &random)
      let delay = camera.delay * .random(in: 1 - camera.spread...1 + camera.spread, using: &random)
      last = max(last, MonotonicInstant(nanoseconds: UInt64((captured + delay) * 1e6)))
      let counts = DropCounts(discontinuity: missing)
      arrivals.append(Arrival(frame: frame(input, sequence, at: captured, stream: stream, missing: counts), at: last))
      missing = 0
    }
    return arrivals
  }

  @Test(arguments: 0..<200)
  func whatMustHoldHolds(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let inputs = ["a", "b", "c"].prefix(Int.random(in: 1...3, using: &random))
    let cameras = Dictionary(uniqueKeysWithValues: inputs.map { ($0, Self.camera(&random)) })
    var arrivals = inputs.flatMap { Self.arrivals(cameras[$0]!, $0, &random) }
    arrivals.sort { ($0.at, $0.frame.input) < ($1.at, $1.frame.input) }
    let rate = Rational([15, 30, 60].randomElement(using: &random)!, 1)
    var partners = FramePartners(
      layers: inputs.map { .whole($0) }, rate: rate, isSlower: cameras["a"]!.period * 1e6 < 0.99e9 / rate.value)
    let longest = FramePartners.patience * UInt64(1e9 / rate.value)
    // The longest time between two frames of a stream.
    let gaps = Dictionary(
      uniqueKeysWithValues: inputs.map { input in
        let frames = arrivals.lazy.map(\.frame).filter { $0.input == input }.map(\.frame)
        let spans = zip(frames, frames.dropFirst()).filter { $0.streamID == $1.streamID }.map {
          Double($1.time.monotonic.nanoseconds(since: $0.time.monotonic))
        }
        return (input, spans.max() ?? 0)
      })
    let came = Dictionary(uniqueKeysWithValues: arrivals.map { (ObjectIdentifier($0.frame), $0.at) })

    var now = MonotonicInstant.epoch
    var busy = MonotonicInstant.epoch
    var former: FramePartners.Choice?
    var reported: UInt64 = 0

    /// Composes what is due until `end`, each picture in up to 4 ms.
    func compose(until end: MonotonicInstant) throws {
      while let instant = partners.instant(at: max(now, busy)), max(instant, now, busy) < end {
        now = max(instant, now, busy)
        // The instant may be later than it seemed, but never earlier.
        guard let again = partners.instant(at: now), again <= now else { continue }
        let choice = try partners.beginDue()
        let clock = choice.clock.frame.time.monotonic
        if let former {
          #expect(clock > former.clock.frame.time.monotonic, "a picture is earlier than the one before")
          for (frame, before) in zip(choice.frames, former.frames) {
            guard let before else { continue }
            #expect(frame.map { $0.frame.time.monotonic >= before.frame.time.monotonic } == true, "a layer went back")
          }
        }
        #expect(now <= max(came[ObjectIdentifier(choice.clock)]! + longest, busy), "a picture waited too long")
        for (index, input) in inputs.enumerated() {
          guard let shown = choice.frames[index]?.frame.time.monotonic else {
            #expect(choice.isStale[index])
            continue
          }
          let camera = cameras[input]!
          let distance = Double(shown.signedNanoseconds(since: clock).magnitude)
          if choice.isStale[index] {
            #expect(shown <= clock, "a layer is ahead of the picture")
          } else if index > 0 {
            // The period is estimated from frames with jitter, and from frames between which others are lost.
            let most = camera.loss == 0 ? camera.period * (1 + 2 * camera.jitter) * 1e6 : gaps[input]!
            #expect(distance <= max(most / 2, 0.5e9 / rate.value), "a frame is too far away")
          }
        }
        partners.composed(choice)
        reported += choice.missing.total
        former = choice
        busy = now + .random(in: 0...4_000_000, using: &random)
      }
    }

    for arrival in arrivals {
      try compose(until: arrival.at)
      now = max(now, arrival.at)
      partners.receive(arrival.frame, at: arrival.at)
      for input in inputs {
        #expect(partners.held(of: input) <= FramePartners.heldFrames + 1, "too many frames of \(input)")
      }
    }
    try compose(until: .init(nanoseconds: 10_000 * millisecond))
    #expect(partners.instant(at: now) == nil, "a picture is due forever")
    let lost = arrivals.filter { $0.frame.input == "a" }.reduce(0) { $0 + $1.frame.frame.missing.total }
    if cameras["a"]!.away == nil, 1e9 / rate.value <= cameras["a"]!.period * 1e6, former != nil {
      #expect(reported == lost, "losses are not reported once each")
    }
    #expect(former != nil)
  }

  /// Two cameras of one rate that lose nothing are always in time with each other, whatever their phase and delays.
  /// Only when they capture half a period apart does jitter decide whether that is too far.
  @Test(arguments: 0..<100)
  func healthyCamerasAreNeverStale(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(1000 + seed))
    let cameras = (0..<2).map { _ in
      Camera(
        period: 1000.0 / 30, delay: .random(in: 5...45, using: &random), spread: 0.05, jitter: 0.02, loss: 0,
        away: nil)
    }
    var arrivals = Self.arrivals(cameras[0], "a", &random) + Self.arrivals(cameras[1], "b", &random)
    arrivals.sort { ($0.at, $0.frame.input) < ($1.at, $1.frame.input) }
    let ends = min(arrivals.last { $0.frame.input == "a" }!.at, arrivals.last { $0.frame.input == "b" }!.at)
    var partners = FramePartners(layers: [.whole("a"), .whole("b")], rate: Rational(30, 1))
    var taken: [FramePartners.Choice] = []
    var now = MonotonicInstant.epoch
    for arrival in arrivals where arrival.at <= ends {
      while let instant = partners.instant(at: now), instant < arrival.at, let choice = partners.begin() {
        now = max(now, instant)
        partners.composed(choice)
        taken.append(choice)
      }
      now = arrival.at
      partners.receive(arrival.frame, at: now)
    }
    let settled = taken.dropFirst(8)
    #expect(settled.count > 40)
    for choice in settled where choice.isStale[1] {
      let shown = try #require(choice.frames[1]).frame.time.monotonic
      let periods = Double(choice.clock.frame.time.monotonic.nanoseconds(since: shown)) * 30 / 1e9
      #expect((0.45...0.55).contains(periods), "\(cameras)")
    }
    #expect(settled.count { $0.isStale[1] } < settled.count)
  }
}

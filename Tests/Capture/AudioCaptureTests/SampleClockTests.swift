import CaptureTestKit
import SystemClocks
import Testing

@testable import AudioCapture

/// What the clock makes of the stamps of a sound card.
@Suite struct SampleClockTests {
  /// A clock that has listened to `card` for so many hundredths of a second.
  private func clock(_ card: inout SimulatedCard, _ count: Int, sampleRate: Int = 48_000) -> SampleClock {
    var clock = SampleClock(sampleRate: sampleRate)
    listen(&clock, &card, count)
    return clock
  }

  private func listen(_ clock: inout SampleClock, _ card: inout SimulatedCard, _ count: Int) {
    for _ in 0..<count {
      let reading = card.run()
      clock.note(time: reading.time, position: reading.position)
    }
  }

  /// The drift is known within seconds, although each stamp is wrong by up to 300 microseconds.
  @Test(arguments: [-1000.0, -37, 0, 12, 1000])
  func theDriftIsMeasured(drift: Double) throws {
    var card = SimulatedCard(drift: drift)
    let clock = clock(&card, 1000)
    #expect(abs(try #require(clock.drift) - drift) < 8)
  }

  /// A clock that has heard little says so.
  @Test func theDriftIsUnknownAtFirst() {
    var card = SimulatedCard(drift: 100)
    #expect(SampleClock(sampleRate: 48_000).drift == nil)
    #expect(clock(&card, 50).drift == nil)
  }

  /// The time of any sample is known far better than its stamp, and the two directions agree.
  @Test func timesAreBetterThanStamps() throws {
    var card = SimulatedCard(drift: 250)
    let clock = clock(&card, 1000)
    for position in [0.0, 1000.5, 470_000] {
      let truth = position * 1e9 / 48_000 / (1 + 250e-6)
      let time = try #require(clock.time(of: position))
      // What is long past is known only as well as the drift.
      let bound = position > 400_000 ? 60_000.0 : 200_000
      #expect(abs(Double(time.signedNanoseconds(since: SimulatedCard.start)) - truth) < bound)
      #expect(abs(try #require(clock.position(at: time)) - position) < 0.01)
    }
  }

  /// A single stamp that is late by a tenth of a second moves the estimate by less than half a millisecond.
  @Test func oneWrongStampMeansLittle() throws {
    var card = SimulatedCard(drift: 100)
    var clock = clock(&card, 500)
    let before = try #require(clock.time(of: 240_000))
    let reading = card.run()
    clock.note(time: reading.time + 100_000_000, position: reading.position)
    #expect(abs(try #require(clock.time(of: 240_000)).signedNanoseconds(since: before)) < 500_000)
  }

  /// A card that changes its rate is followed, a slow change as well as a sudden one.
  @Test func changesAreFollowed() throws {
    var card = SimulatedCard(drift: 100)
    var clock = clock(&card, 1000)
    for step in 0..<120 {
      card.drift = 100 + Double(step) / 20
      listen(&clock, &card, 100)
    }
    #expect(abs(try #require(clock.drift) - 106) < 3)
    card.drift = -400
    listen(&clock, &card, 3000)
    #expect(abs(try #require(clock.drift) + 400) < 10)
  }

  /// A run after an interruption begins with the rate of the run before.
  @Test func theRateOutlivesAnInterruption() throws {
    var card = SimulatedCard(drift: 800)
    let former = clock(&card, 1000)
    card.lose(50_000_000)
    var clock = SampleClock(sampleRate: 48_000, continuing: former)
    listen(&clock, &card, 3)
    #expect(abs((clock.samplesPerSample - 1) * 1e6 - 800) < 5)
  }
}

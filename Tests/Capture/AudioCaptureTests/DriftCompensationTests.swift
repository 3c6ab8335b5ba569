import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import AudioCapture

/// The way of sound from the clock of a card to the grid of the monotonic clock.
@Suite struct DriftCompensationTests {
  private struct Heard {
    var blocks: [AudioBlock] = []
    var losses: [AudioLoss] = []

    mutating func take(_ events: [DriftCompensation.Event]) {
      for event in events {
        switch event {
        case .block(let block): blocks.append(block)
        case .loss(let loss): losses.append(loss)
        }
      }
    }

    /// Whether each block begins where the one before it ended.
    var isGapless: Bool { zip(blocks, blocks.dropFirst()).allSatisfy { $0.end == $1.time } }
  }

  /// Each output sample was captured when its block says, within a fifth of a millisecond from the first block on and
  /// within a twentieth after some seconds, whatever the card's clock does.
  @Test(.computing, arguments: [-1000.0, -20, 0, 1000], [44_100, 48_000])
  func soundStaysInTime(drift: Double, sampleRate: Int) async throws {
    var card = SimulatedCard(drift: drift, sampleRate: sampleRate)
    var grid = DriftCompensation(AudioFormat(sampleRate: sampleRate, channelCount: 1))
    var heard = Heard()
    for _ in 0..<1500 { heard.take(grid.take(card.run())) }
    #expect(heard.blocks.count > 1400)
    #expect(heard.isGapless)
    #expect(heard.losses.isEmpty)
    for (index, block) in heard.blocks.enumerated().dropFirst() {
      let (error, strength) = SimulatedCard.error(of: block.samples, at: block.time, sampleRate: sampleRate)
      #expect(abs(error) < (index < 500 ? 300_000 : 60_000), "block \(index)")
      #expect(abs(strength - 0.5) < 0.002, "block \(index)")
      #expect(block.silentCount == 0)
    }
  }

  /// A stream that begins in the middle of a sound, here at the peak of a tone, is not louder than the sound.
  @Test(.computing) func theBeginningIsNotLouder() async throws {
    var card = SimulatedCard(drift: 0)
    card.lose(0.25e9 / SimulatedCard.tone)
    var grid = DriftCompensation(AudioFormat(sampleRate: 48_000, channelCount: 1))
    var heard = Heard()
    for _ in 0..<20 { heard.take(grid.take(card.run())) }
    #expect(heard.blocks.count > 10)
    #expect(heard.blocks.flatMap(\.samples).allSatisfy { abs($0) < 0.501 })
  }

  /// The output follows a clock that learns so slowly that the pitch never changes audibly, not even in the first
  /// second.
  @Test(.computing) func thePitchNeverJumps() async throws {
    var card = SimulatedCard(drift: 1000)
    var grid = DriftCompensation(AudioFormat(sampleRate: 48_000, channelCount: 1))
    var heard = Heard()
    for _ in 0..<500 { heard.take(grid.take(card.run())) }
    let errors = heard.blocks.dropFirst().map {
      SimulatedCard.error(of: $0.samples, at: $0.time, sampleRate: 48_000).0
    }
    // A change of a tenth of a percent, 2 cents, in 10 ms is 10 microseconds.
    for (before, after) in zip(errors, errors.dropFirst()) { #expect(abs(after - before) < 25_000) }
  }

  /// What a card lost becomes silence of the same length, the sound after it is in time, and the grid goes on.
  @Test(.computing, arguments: [3_000_000.0, 50_000_000, 2_345_678_901])
  func lostSoundBecomesSilence(lost: Double) async throws {
    var card = SimulatedCard(drift: 300)
    var grid = DriftCompensation(AudioFormat(sampleRate: 48_000, channelCount: 1))
    var heard = Heard()
    for _ in 0..<500 { heard.take(grid.take(card.run())) }
    card.lose(lost)
    grid.lose(.overrun)
    for _ in 0..<300 { heard.take(grid.take(card.run())) }
    #expect(heard.isGapless)
    let loss = try #require(heard.losses.first)
    #expect(heard.losses.count == 1)
    #expect(loss.cause == .overrun)
    #expect(abs(Double(loss.nanoseconds) - lost) < 400_000)
    let silent = heard.blocks.reduce(0) { $0 + $1.silentCount }
    #expect(abs(Double(silent) - lost * 48_000e-9) < 20)
    #expect(heard.blocks.allSatisfy { $0.count <= 48_000 }, "no block is longer than a second")
    // The sound after the gap is in time at once.
    let after = heard.blocks.filter { $0.time > loss.time + loss.nanoseconds }
    for block in after {
      #expect(abs(SimulatedCard.error(of: block.samples, at: block.time, sampleRate: 48_000).0) < 300_000)
    }
    #expect(abs(try #require(grid.drift) - 300) < 20)
  }

  /// A second loss that comes before the first gap has an end makes one longer gap.
  @Test func twoLossesInARowAreOneGap() throws {
    var card = SimulatedCard(drift: 0, jitter: 0)
    var grid = DriftCompensation(AudioFormat(sampleRate: 48_000, channelCount: 1))
    var heard = Heard()
    for _ in 0..<100 { heard.take(grid.take(card.run())) }
    card.lose(20_000_000)
    grid.lose(.suspended)
    heard.take(grid.take(card.run()))
    card.lose(20_000_000)
    grid.lose(.overrun)
    for _ in 0..<100 { heard.take(grid.take(card.run())) }
    #expect(heard.losses.map(\.cause) == [.suspended])
    #expect(heard.isGapless)
    #expect(abs(Double(heard.losses[0].nanoseconds) - 50_000_000) < 200_000)
  }

  /// Channels stay apart.
  @Test func channelsStayApart() throws {
    var card = SimulatedCard(drift: 0, jitter: 0)
    var grid = DriftCompensation(AudioFormat(sampleRate: 48_000, channelCount: 2))
    var heard = Heard()
    for _ in 0..<20 {
      var reading = card.run()
      reading.samples = reading.samples.flatMap { [$0, -0.25] }
      heard.take(grid.take(reading))
    }
    let block = try #require(heard.blocks.last)
    let channels = (0..<2).map { channel in
      stride(from: channel, to: block.samples.count, by: 2).map { block.samples[$0] }
    }
    #expect(channels[1].allSatisfy { abs($0 + 0.25) < 0.001 })
    #expect(abs(SimulatedCard.error(of: channels[0], at: block.time, sampleRate: 48_000).strength - 0.5) < 0.01)
  }
}

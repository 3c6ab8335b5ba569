import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import AudioCapture

/// Synthetic microphones and their faults.
@Suite struct SyntheticMicrophoneTests {
  private let provider = SyntheticMicrophoneProvider(count: 2)
  private let sink = RecordingAudioSink()
  private let id = "synthetic-microphone-0"
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 2)

  private func start() async throws(CaptureError) -> any AudioSource {
    try await provider.start(format, on: id, sink: sink)
  }

  /// The sound of a block is that of its time: what a microphone without drift gives can be computed.
  @Test func soundSaysWhenItWasCaptured() async throws {
    let source = try await start()
    let block = try #require(try await sink.blocks.wait(count: 20).last)
    await source.stop()
    let wall = WallClock.shared.wallInstant(at: block.time)
    let truth = TimeSignal(microphone: 0).render(
      block.count, channelCount: 2, from: wall, period: 1e9 / 48_000)
    #expect(zip(block.samples, truth).allSatisfy { abs($0 - $1) < 0.05 })
    #expect(block.count == 480)
  }

  /// Every third microphone has a single form, and does not start in another one.
  @Test func theThirdHasASingleForm() async throws {
    let three = SyntheticMicrophoneProvider(count: 3)
    let last = try #require(await three.microphones().last)
    #expect(last.sampleRates == [16_000] && last.channelCounts == [1])
    await #expect(throws: CaptureError.self) { _ = try await three.start(format, on: last.id, sink: sink) }
    let mono = AudioFormat(sampleRate: 16_000, channelCount: 1)
    let source = try await three.start(mono, on: last.id, sink: sink)
    #expect(try await sink.blocks.wait(count: 1)[0].format == mono)
    await source.stop()
  }

  /// Unplugging ends the source and is announced; a microphone that is plugged in again starts.
  @Test func unpluggingEndsTheSource() async throws {
    var changes = provider.changes().makeAsyncIterator()
    _ = try await start()
    try await sink.blocks.wait(count: 1)
    try provider.faults.unplug(id)
    #expect(try await sink.ends.wait(count: 1).map(\.reason) == [.deviceDisconnected])
    #expect(await changes.next()?.kind == .disconnected)
    #expect(await provider.microphones().map(\.id) == ["synthetic-microphone-1"])
    await #expect(throws: CaptureError.self) { try await start() }
    try provider.faults.replug(id)
    #expect(await changes.next()?.kind == .connected)
    let again = try await start()
    await again.stop()
    #expect(sink.ends.count == 1)
  }

  /// Sound that is lost on purpose is told with its length, and becomes silence.
  @Test(arguments: [AudioLoss.Cause.overrun, .suspended])
  func soundCanBeLost(cause: AudioLoss.Cause) async throws {
    let source = try await start()
    try await sink.blocks.wait(count: 10)
    try provider.faults.lose(id, cause, for: .milliseconds(100))
    // On a busy machine the buffer may run over besides.
    let loss = try await sink.losses.first { $0.cause == cause }
    #expect(loss.nanoseconds >= 90_000_000)
    let blocks = try await sink.blocks.wait { $0.contains { $0.time > loss.time + loss.nanoseconds } }
    await source.stop()
    #expect(blocks.reduce(0) { $0 + $1.silentCount } >= 4300)
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.end == $1.time })
  }

  /// A microphone has one listener, and formats that it lists.
  @Test func onlyOneListens() async throws {
    let source = try await start()
    do {
      _ = try await start()
      Issue.record("a second source started")
    } catch { #expect(error.reason == .deviceInUse) }
    await source.stop()
    do {
      _ = try await provider.start(AudioFormat(sampleRate: 11_025, channelCount: 1), on: id, sink: sink)
      Issue.record("a rate that is not listed started")
    } catch { #expect(error.reason == .formatNotSupported) }
  }

  /// The symbols of a tick, with the check that the reader in Python computes too.
  @Test func symbolsNameTheTick() {
    let symbols = TimeSignal(microphone: 3).symbols(ofTick: 17_900_000_001, channel: 1)
    #expect(symbols == [0, 4, 2, 10, 14, 12, 5, 3, 0, 1, 3, 1] + symbols.suffix(2))
    let other = TimeSignal(microphone: 3).symbols(ofTick: 17_900_000_001, channel: 0)
    #expect(zip(symbols, other).filter { $0 != $1 }.count >= 2)
  }
}

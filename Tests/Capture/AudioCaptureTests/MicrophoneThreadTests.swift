import CaptureCore
import CaptureTestKit
import Glibc
import Synchronization
import SystemClocks
import Testing

@testable import AudioCapture

/// The thread of a running microphone, with a card that a test steers.
@Suite struct MicrophoneThreadTests {
  /// A card that gives what a test put into its queue, then waits until it is woken.
  private final class FakePCM: PCM {
    enum Step: Sendable {
      case reading(PCMReading)
      case failure(Int32)
    }
    private let steps: Mutex<[Step]>
    private let alarm = Alarm()
    let calls = Recorder<String>()

    init(_ steps: [Step]) { self.steps = Mutex(steps) }

    func wait(until deadline: MonotonicInstant) throws(PCMError) -> Bool {
      if !steps.withLock(\.isEmpty) { return true }
      alarm.sleep(until: deadline)
      return false
    }

    func read() throws(PCMError) -> PCMReading? {
      switch steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      case .reading(let reading): return reading
      case .failure(let errno): throw PCMError(call: "snd_pcm_readi", errno: errno)
      case nil: return nil
      }
    }

    /// How often a restart still fails, because the card is suspended.
    let suspensions = Mutex(0)

    func restart() throws(PCMError) {
      calls.append("restart")
      let isSuspended = suspensions.withLock { left in
        defer { left = max(0, left - 1) }
        return left > 0
      }
      if isSuspended { throw PCMError(call: "snd_pcm_resume", errno: ESTRPIPE) }
    }
    func rest(until deadline: MonotonicInstant) { calls.append("rest") }
    func close() { calls.append("close") }
    func wake() { alarm.ring() }
  }

  private let sink = RecordingAudioSink()
  private let format = AudioFormat(sampleRate: 48_000, channelCount: 1)

  /// Starts the thread. Where a test does not say otherwise, a card that has given all its sound does not count as
  /// silent while the test runs, however slow the machine is.
  private func start(
    _ pcm: FakePCM, patience: StallPatience = StallPatience(betweenFrames: 600_000_000_000, firstFrame: 600_000_000_000)
  ) async throws -> MicrophoneThread {
    try await MicrophoneThread.start(
      MicrophoneThread.Assignment(
        deviceID: "fake", format: format, patience: patience, sink: sink, open: { pcm }, didClose: {}))
  }

  private func steps(_ card: inout SimulatedCard, _ count: Int) -> [FakePCM.Step] {
    (0..<count).map { _ in .reading(card.run()) }
  }

  /// Sound comes as blocks, and a stop closes the card and tells the sink no end.
  @Test func soundComesAsBlocks() async throws {
    var card = SimulatedCard(drift: 0)
    let pcm = FakePCM(steps(&card, 50))
    let source = try await start(pcm)
    try await sink.blocks.wait(count: 40)
    await source.stop()
    await source.stop()
    #expect(pcm.calls.all == ["close"])
    #expect(sink.ends.all.isEmpty)
  }

  /// A card that is still suspended is asked again after a rest, and goes on when it is awake.
  @Test func aSuspendedCardIsAskedAgain() async throws {
    var card = SimulatedCard(drift: 0, jitter: 0)
    let before = steps(&card, 50)
    card.lose(100_000_000)
    let pcm = FakePCM(before + [.failure(ESTRPIPE)] + steps(&card, 50))
    pcm.suspensions.withLock { $0 = 2 }
    let source = try await start(pcm)
    try await sink.blocks.wait { $0.reduce(0) { $0 + $1.count } > 48_000 }
    await source.stop()
    #expect(pcm.calls.all == ["restart", "rest", "restart", "rest", "restart", "close"])
    #expect(sink.ends.all.isEmpty)
  }

  /// After an overrun and after a suspension the card starts again, the gap is told, and blocks follow without a gap.
  @Test(arguments: [(EPIPE, AudioLoss.Cause.overrun), (ESTRPIPE, .suspended)])
  func lossesAreBridged(errno: Int32, cause: AudioLoss.Cause) async throws {
    var card = SimulatedCard(drift: 0, jitter: 0)
    let before = steps(&card, 50)
    card.lose(100_000_000)
    let pcm = FakePCM(before + [.failure(errno)] + steps(&card, 50))
    let source = try await start(pcm)
    let blocks = try await sink.blocks.wait { $0.reduce(0) { $0 + $1.count } > 48_000 }
    await source.stop()
    #expect(pcm.calls.all == ["restart", "close"])
    #expect(sink.losses.all.map(\.cause) == [cause])
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.end == $1.time })
  }

  /// A card that is pulled out ends the source, after the card was closed.
  @Test func aLostCardEndsTheSource() async throws {
    var card = SimulatedCard(drift: 0)
    let pcm = FakePCM(steps(&card, 10) + [.failure(ENODEV)])
    let source = try await start(pcm)
    #expect(try await sink.ends.wait(count: 1).map(\.reason) == [.deviceDisconnected])
    #expect(pcm.calls.all == ["close"])
    await source.stop()
    #expect(sink.ends.count == 1)
  }

  /// A card that gives nothing any more counts as one that does not answer.
  @Test func aSilentCardEndsTheSource() async throws {
    var card = SimulatedCard(drift: 0)
    let pcm = FakePCM(steps(&card, 10))
    _ = try await start(pcm, patience: StallPatience(betweenFrames: 20_000_000, firstFrame: 20_000_000))
    #expect(try await sink.ends.wait(count: 1).map(\.reason) == [.deviceNotResponding])
  }

  /// A card that cannot be opened gives the error of the start, and no end.
  @Test func aCardThatCannotBeOpenedFailsTheStart() async throws {
    let closed = Recorder<Bool>()
    await #expect(throws: CaptureError.self) {
      try await MicrophoneThread.start(
        MicrophoneThread.Assignment(
          deviceID: "fake", format: format, sink: sink,
          open: { () throws(CaptureError) in throw PCMError(call: "snd_pcm_open", errno: EBUSY).error(device: "fake") },
          didClose: { closed.append(true) }))
    }
    #expect(closed.count == 1)
    #expect(sink.ends.all.isEmpty)
  }
}

import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import CaptureSessions

/// Who watches the levels of a session learns how loud its microphones are, and nobody else makes the daemon measure.
@Suite(.timeLimit(.minutes(1))) struct AudioLevelsTests {
  private let levels = AudioLevels()
  private let format = AudioFormat(sampleRate: 8000, channelCount: 1)
  private let gone = CaptureError(.sessionNotFound, "The session is gone.")

  /// Lets a microphone be heard in blocks of 10 ms from a time on.
  private func hear(_ amplitude: Float, blocks: Int, from start: UInt64, input: String = "a") {
    for block in 0..<UInt64(blocks) {
      let samples = [Float](repeating: amplitude, count: 80)
      let time = MonotonicInstant(nanoseconds: start + block * 10_000_000)
      levels.receive(AudioBlock(format: format, time: time, samples: samples), of: input)
    }
  }

  private func all(
    _ stream: AudioLevels.Readings
  ) async -> (readings: [AudioLevels.Reading], error: CaptureError?) {
    var readings: [AudioLevels.Reading] = []
    do {
      for try await reading in stream { readings.append(reading) }
      return (readings, nil)
    } catch { return (readings, error as? CaptureError) }
  }

  /// Loud sound before the watch belongs to no reading. Each microphone has readings of its own.
  @Test func aWatchBeginsWithTheSoundAfterIt() async {
    hear(1, blocks: 5, from: 0)
    let watch = levels.watch()
    hear(0.1, blocks: 25, from: 50_000_000)
    hear(0.5, blocks: 10, from: 50_000_000, input: "b")
    levels.end(gone)
    let (readings, error) = await all(watch)
    #expect(error == gone)
    #expect(readings.map(\.input) == ["a", "a", "b"])
    #expect(readings.map(\.reading.end) == [150_000_000, 250_000_000, 150_000_000])
    #expect(readings.map { ($0.reading.levels[0].peak * 10).rounded() / 10 } == [-20, -20, -6])
  }

  /// What waits for a slow watcher is bounded.
  @Test func aSlowWatcherLosesTheOldestReadings() async {
    let watch = levels.watch()
    hear(1, blocks: 10 * (AudioLevels.depth + 4), from: 0)
    levels.end(gone)
    let readings = await all(watch).readings
    #expect(readings.count == AudioLevels.depth)
    #expect(readings.first?.reading.end == 500_000_000)
  }

  /// Nobody waits for the levels of a session that has ended.
  @Test func aWatchAfterTheEndHasItsError() async {
    levels.end(gone)
    #expect(await all(levels.watch()).error == gone)
  }
}

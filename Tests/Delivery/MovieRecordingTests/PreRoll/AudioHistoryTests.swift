import CaptureCore
import SystemClocks
import Testing

@testable import MovieRecording

/// Which sound an output keeps for a pre-roll.
@Suite struct AudioHistoryTests {
  private static let format = AudioFormat(sampleRate: 8000, channelCount: 1)
  private static let millisecond: UInt64 = 1_000_000

  /// The block of 10 ms with this number, which has 320 bytes.
  private static func block(_ number: Int) -> AudioBlock {
    AudioBlock(
      format: format, time: MonotonicInstant(nanoseconds: UInt64(number) * 10 * millisecond),
      samples: [Float](repeating: Float(number), count: 80))
  }

  private func numbers(_ history: AudioHistory) -> [Float] { history.blocks.compactMap(\.block.samples.first) }

  @Test func soundThatIsTooOldIsForgotten() {
    var history = AudioHistory(duration: 50 * Self.millisecond)
    let lost = (0..<200).map { history.add(Self.block($0), of: "a") }
    #expect(lost.allSatisfy { $0 == 0 })
    #expect(numbers(history) == [194, 195, 196, 197, 198, 199])
  }

  /// However long sound may be kept, it takes no more than its bytes, and what it lacks is counted.
  @Test func bytesAreBounded() {
    var history = AudioHistory(duration: 10_000 * Self.millisecond, maximumBytes: 1000)
    let lost = (0..<200).map { history.add(Self.block($0), of: "a") }
    #expect(numbers(history) == [197, 198, 199])
    #expect(lost.reduce(0, +) == 197)
  }

  @Test func nothingIsLeftAfterClear() {
    var history = AudioHistory(duration: 50 * Self.millisecond, maximumBytes: 1000)
    for number in 0..<10 { _ = history.add(Self.block(number), of: "a") }
    history.clear()
    #expect(history.blocks.isEmpty)
    let lost = history.add(Self.block(10), of: "a")
    #expect(lost == 0)
    #expect(numbers(history) == [10])
  }
}

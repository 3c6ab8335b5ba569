internal import CaptureCore
internal import SystemClocks

/// The newest sound of the microphones of an output, for recordings that begin before their request. A value.
struct AudioHistory: Sendable {
  /// The most bytes of sound that are kept: a minute of four microphones with two channels at 48,000 Hz.
  static let maximumBytes = 96 << 20
  private static let removedAtOnce = 64

  /// How far the sound of each input reaches back, in nanoseconds.
  private let duration: UInt64
  private let maximumBytes: Int
  private var kept: [(block: AudioBlock, input: String)] = []
  /// The number of blocks at the beginning of `kept` that are forgotten.
  private var forgotten = 0
  private var bytes = 0

  /// The blocks of all inputs, in the order in which they came.
  var blocks: ArraySlice<(block: AudioBlock, input: String)> { kept[forgotten...] }

  init(duration: UInt64, maximumBytes: Int = maximumBytes) {
    self.duration = duration
    self.maximumBytes = maximumBytes
  }

  /// Takes the next block of an input, and forgets what is too old.
  ///
  /// - Returns: the number of blocks that were forgotten before their time, because all took too many bytes.
  mutating func add(_ block: AudioBlock, of input: String) -> Int {
    kept.append((block, input))
    bytes += block.byteCount
    while forgotten < kept.count, kept[forgotten].block.end + duration < block.end { forgetFirst() }
    let old = forgotten
    while bytes > maximumBytes, forgotten < kept.count { forgetFirst() }
    let shortened = forgotten - old
    // Each removal moves all blocks, so that many are removed at once.
    if forgotten >= Self.removedAtOnce {
      kept.removeFirst(forgotten)
      forgotten = 0
    }
    return shortened
  }

  /// Forgets everything.
  mutating func clear() { (kept, forgotten, bytes) = ([], 0, 0) }

  private mutating func forgetFirst() {
    bytes -= kept[forgotten].block.byteCount
    kept[forgotten].block.samples = []
    forgotten += 1
  }
}

extension AudioBlock {
  /// The memory of the samples, in bytes.
  fileprivate var byteCount: Int { samples.count * MemoryLayout<Float>.stride }
}

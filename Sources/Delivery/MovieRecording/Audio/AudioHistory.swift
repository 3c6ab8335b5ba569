internal import CaptureCore
internal import SystemClocks

/// The newest sound of the microphones of an output, for recordings that begin before their request. A value.
struct AudioHistory: Sendable {
  private static let removedAtOnce = 64

  /// How far the sound of each input reaches back, in nanoseconds.
  private let duration: UInt64
  /// The blocks of all inputs, in the order in which they came.
  private(set) var blocks: [(block: AudioBlock, input: String)] = []

  init(duration: UInt64) { self.duration = duration }

  /// Takes the next block of an input, and forgets what is too old.
  mutating func add(_ block: AudioBlock, of input: String) {
    blocks.append((block, input))
    let old = blocks.prefix { $0.block.end + duration < block.end }.count
    // Each removal moves all blocks, so that many are removed at once.
    if old >= Self.removedAtOnce { blocks.removeFirst(old) }
  }

  /// Forgets everything.
  mutating func clear() { blocks = [] }
}

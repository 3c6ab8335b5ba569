public import CaptureCore
internal import Locking
internal import SystemClocks

/// The sound of a preview's microphones, for one reader. Thread-safe.
public final class PreviewAudioReader: Sendable {
  /// How much sound of each microphone waits for the reader, in nanoseconds; what is older is forgotten.
  static let longestWait: UInt64 = 2_000_000_000

  /// The microphones and the forms of their sound. They stay as they are while the reader lives, whatever the session
  /// does.
  public let connections: [AudioConnection]
  private let waiting = Locked<[(block: AudioBlock, input: String)]>([])

  init(_ connections: [AudioConnection]) { self.connections = connections }

  /// Takes out all sound that has come since the last call, in order.
  public func take() -> [(block: AudioBlock, input: String)] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  func receive(_ block: AudioBlock, of input: String) {
    waiting.withLock { waiting in
      waiting.append((block, input))
      waiting.removeFirst(waiting.prefix { $0.block.end + Self.longestWait < block.end }.count)
    }
  }
}

/// Hands the sound of a preview to its readers. Thread-safe.
final class PreviewAudio: Sendable {
  private struct Weak { weak var reader: PreviewAudioReader? }
  private let readers = Locked<[Weak]>([])

  func attach(_ connections: [AudioConnection]) -> PreviewAudioReader {
    let reader = PreviewAudioReader(connections)
    readers.withLock { readers in
      readers.removeAll { $0.reader == nil }
      readers.append(Weak(reader: reader))
    }
    return reader
  }

  func receive(_ block: AudioBlock, of input: String) {
    let present = readers.withLock { $0.compactMap(\.reader) }
    for reader in present { reader.receive(block, of: input) }
  }
}

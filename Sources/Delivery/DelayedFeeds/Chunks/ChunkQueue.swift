internal import CaptureCore

/// The complete chunks of one reader, and the count of what the reader lost with those that went. A value.
struct ChunkQueue<File: Sendable>: Sendable {
  /// The most complete chunks at once; one of them may be on its way to the reader.
  static var depth: Int { 2 }

  private var waiting: [(chunk: DelayedChunk, file: File)] = []
  private var isSending = false
  private var sent: UInt64 = 0
  /// What was lost since the chunk before the waiting ones.
  private var dropped = DropCounts()
  private var omitted: UInt64 = 0

  /// Adds a complete chunk. The oldest one that waits goes when there are too many.
  mutating func add(_ chunk: DelayedChunk, _ file: File) {
    waiting.append((chunk, file))
    while waiting.count > Self.depth - (isSending ? 1 : 0) {
      let lost = waiting.removeFirst().chunk
      dropped += lost.dropped
      dropped.late += lost.frameCount
      omitted += lost.omitted
    }
  }

  /// Takes the oldest chunk, to be sent, with its number and all that was lost since the chunk sent before.
  mutating func take() -> (number: UInt64, chunk: DelayedChunk, file: File)? {
    guard !waiting.isEmpty else { return nil }
    var (chunk, file) = waiting.removeFirst()
    chunk.dropped += dropped
    chunk.omitted += omitted
    (dropped, omitted) = (DropCounts(), 0)
    sent += 1
    isSending = true
    return (sent, chunk, file)
  }

  /// Takes note that the chunk that was taken is sent.
  mutating func didSend() { isSending = false }
}

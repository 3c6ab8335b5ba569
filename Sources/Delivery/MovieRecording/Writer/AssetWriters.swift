public import CaptureCore
internal import Locking

/// The writers of the daemon. Thread-safe.
public final class AssetWriters: Sendable {
  /// The most writers that are not over.
  public static let maximumRunning = 16
  /// The most writers that are over.
  public static let maximumOver = 64

  private let recordings: Recordings
  /// The newest is the last.
  private let writers = Locked<[AssetWriter]>([])

  /// - Parameter recordings: keeps the movies.
  public init(_ recordings: Recordings) { self.recordings = recordings }

  /// Makes a writer, and forgets the oldest that are over.
  ///
  /// - Throws: as ``WriterConfiguration/check()``; `tooManyRequests`.
  public func create(_ configuration: WriterConfiguration) async throws(CaptureError) -> AssetWriter {
    try await configuration.checkOnThread()
    let writer = AssetWriter(id: RandomToken.make(words: 2), configuration, recordings)
    try writers.withLock { writers throws(CaptureError) in
      var over = writers.filter { $0.state.isOver }.count
      guard writers.count - over < Self.maximumRunning else {
        throw CaptureError(
          .tooManyRequests, "There are \(Self.maximumRunning) writers already; finish or cancel some first.",
          metadata: ["limit": "\(Self.maximumRunning)"])
      }
      writers.removeAll { writer in
        guard over > Self.maximumOver, writer.state.isOver else { return false }
        over -= 1
        return true
      }
      writers.append(writer)
    }
    writer.watchIdleness()
    return writer
  }

  /// The writer with this id, which counts as used.
  ///
  /// - Throws: `writerNotFound`.
  public func writer(_ id: String) throws(CaptureError) -> AssetWriter {
    guard let writer = writers.withLock({ $0.last { $0.id == id } }) else {
      let id = String(id.prefix(80))
      throw CaptureError(
        .writerNotFound, "There is no writer \(id); create one. Its recording may be there nevertheless.",
        metadata: ["writer": id])
    }
    writer.touch()
    return writer
  }

  /// All writers, the oldest first.
  public var all: [AssetWriterState] { writers.withLock { $0 }.map(\.state) }
}

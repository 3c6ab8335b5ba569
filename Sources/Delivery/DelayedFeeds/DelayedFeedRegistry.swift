public import CaptureCore
public import FrameDelivery
internal import Synchronization
internal import VideoCoding

/// The delayed feeds of the daemon: what cameras saw some time ago. Thread-safe.
public final class DelayedFeedRegistry: Sendable {
  private struct Key: Hashable {
    let output: ObjectIdentifier
    let request: PreviewRequest
  }

  /// The longest delay and the longest latency, in nanoseconds.
  public static let longest: UInt64 = 60_000_000_000

  private let folder: String
  /// The histories that run. Each retains its output, so that no other output has the same identity meanwhile.
  private let histories = Mutex<[Key: DelayedHistory]>([:])

  /// - Parameter folder: where temporary files lie; made when the first one is needed.
  public init(folder: String) { self.folder = folder }

  /// Attaches a reader to the history of a preview. Readers who want the same pictures share a history, which begins
  /// with the first of them.
  ///
  /// - Parameters:
  ///   - request: the wanted pictures, in JPEG.
  ///   - delay: how long after its capture the reader gets each picture, in nanoseconds, at most ``longest``.
  /// - Throws: as ``PreviewOutput/attach(_:)``; `processingFailed` when the system gives no thread.
  public func attach(
    _ output: PreviewOutput, _ request: PreviewRequest, delay: UInt64
  ) throws(CaptureError) -> DelayedReader {
    let key = Key(output: ObjectIdentifier(output), request: request)
    while true {
      if let history = histories.withLock({ $0[key] }) {
        if let seat = history.join(delay: delay) { return DelayedReader(history: history, seat: seat) }
        remove(history, key)
      }
      let history = DelayedHistory(try output.attach(request), in: folder, quality: request.jpegQuality)
      // Another reader may have begun the same history meanwhile.
      let isOnly = histories.withLock { histories in
        guard histories[key] == nil else { return false }
        histories[key] = history
        return true
      }
      guard isOnly, let seat = history.join(delay: delay) else { continue }
      let reader = DelayedReader(history: history, seat: seat)
      do throws(CaptureError) {
        try history.start { [weak self, weak history] in
          if let self, let history { remove(history, key) }
        }
      } catch {
        remove(history, key)
        throw error
      }
      return reader
    }
  }

  /// Attaches a reader that gets a preview in chunks.
  ///
  /// - Parameters:
  ///   - request: the wanted pictures, in H.264.
  ///   - latency: the least duration of a chunk, in nanoseconds, at most ``longest``.
  /// - Throws: as ``PreviewOutput/attach(_:)``; `unsupportedValue` without libavformat; `processingFailed` when the
  ///   system gives no thread.
  public func attachChunks(
    _ output: PreviewOutput, _ request: PreviewRequest, latency: UInt64
  ) throws(CaptureError) -> DelayedChunks {
    guard MovieContainer.isAvailable else {
      let library = MovieContainer.library
      throw CaptureError(
        .unsupportedValue,
        "Chunks need FFmpeg's \(library.name), which is not installed; in Debian it is in \(library.debianPackage).",
        metadata: ["library": library.name])
    }
    let thread = ChunkThread(try output.attach(request), latency: latency, in: folder)
    let chunks = DelayedChunks(thread)
    try thread.start()
    return chunks
  }

  private func remove(_ history: DelayedHistory, _ key: Key) {
    histories.withLock { if $0[key] === history { $0[key] = nil } }
  }
}

public import CaptureCore
public import FrameDelivery
internal import Locking
internal import VideoCoding

/// The delayed feeds of the daemon: what cameras saw some time ago. Thread-safe.
public final class DelayedFeedRegistry: Sendable {
  private struct Key: Hashable {
    let output: ObjectIdentifier
    let request: PreviewRequest
  }

  /// The longest delay and the longest latency, in nanoseconds.
  public static let longest: UInt64 = 60_000_000_000

  /// The most histories, and the most readers of chunks, at once. Each has a thread, and its files take the disk.
  static let (maxHistories, maxChunkReaders) = (16, 16)

  private let folder: String
  /// The histories that run. Each retains its output, so that no other output has the same identity meanwhile.
  private let histories = Locked<[Key: DelayedHistory]>([:])
  private let chunkReaders = Locked(0)

  /// - Parameter folder: where temporary files lie; made when the first one is needed.
  public init(folder: String) { self.folder = folder }

  /// Attaches a reader to the history of a preview. Readers who want the same pictures share a history, which begins
  /// with the first of them.
  ///
  /// - Parameters:
  ///   - request: the wanted pictures, in JPEG.
  ///   - delay: how long after its capture the reader gets each picture, in nanoseconds, at most ``longest``.
  /// - Throws: as ``PreviewOutput/attach(_:)``; `tooManyRequests` also when the history has 64 readers, or when there
  ///   are 16 histories; `processingFailed` when the system cannot create a thread.
  public func attach(
    _ output: PreviewOutput, _ request: PreviewRequest, delay: UInt64
  ) throws(CaptureError) -> DelayedReader {
    let key = Key(output: ObjectIdentifier(output), request: request)
    while true {
      if let history = histories.withLock({ $0[key] }) {
        if let seat = try history.join(delay: delay) { return DelayedReader(history: history, seat: seat) }
        remove(history, key)
      }
      let history = DelayedHistory(try output.attach(request), in: folder, quality: request.jpegQuality)
      // Another reader may have begun the same history meanwhile.
      let isOnly = try histories.withLock { histories throws(CaptureError) in
        guard histories[key] == nil else { return false }
        guard histories.count < Self.maxHistories else { throw .tooMany("histories", Self.maxHistories) }
        histories[key] = history
        return true
      }
      guard isOnly, let seat = try history.join(delay: delay) else { continue }
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
  /// - Throws: as ``PreviewOutput/attach(_:)``; `tooManyRequests` also when there are 16 readers of chunks;
  ///   `unsupportedValue` without libavformat; `processingFailed` when the system cannot create a thread.
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
    let thread = ChunkThread(try output.attach(request), output.attachAudio(), latency: latency, in: folder)
    try chunkReaders.withLock { readers throws(CaptureError) in
      guard readers < Self.maxChunkReaders else { throw .tooMany("readers of chunks", Self.maxChunkReaders) }
      readers += 1
    }
    let release: @Sendable () -> Void = { [self] in chunkReaders.withLock { $0 -= 1 } }
    do throws(CaptureError) { try thread.start(didEnd: release) } catch {
      release()
      throw error
    }
    return DelayedChunks(thread)
  }

  private func remove(_ history: DelayedHistory, _ key: Key) {
    histories.withLock { if $0[key] === history { $0[key] = nil } }
  }
}

extension CaptureError {
  static func tooMany(_ what: String, _ limit: Int) -> CaptureError {
    CaptureError(
      .tooManyRequests, "There are already \(limit) \(what); try again when one has gone.",
      metadata: ["limit": "\(limit)"])
  }
}

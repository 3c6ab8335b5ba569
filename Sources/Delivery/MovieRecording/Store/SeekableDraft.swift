internal import CaptureCore
internal import Locking
internal import SystemFiles
internal import VideoCoding

/// Makes the file that replaces a finished movie in fragments: the same movie with its index in front. Blocks.
struct SeekableDraft {
  let folder: RecordingFolder
  let record: RecordingRecord
  /// The free space of the file system that the copy leaves, in bytes.
  let freeSpace: UInt64
  /// The copy is put on the storage after so many bytes, so that neither other files nor the end of the daemon wait
  /// long for it.
  var syncInterval: UInt64 = 8 << 20

  /// Makes the draft, which is on the storage when this method returns. A draft that fails is removed.
  ///
  /// - Returns: the number of bytes.
  /// - Throws: `operationInterrupted` when `isCancelled` returned true; `processingFailed` when there is no room or the
  ///   disk fails, and when the draft lacks a frame.
  func make(_ isCancelled: () -> Bool) throws(CaptureError) -> UInt64 {
    try checkSpace(for: expectedSize)
    let source = try folder.open(RecordingFileName(record.file, container: record.container))
    let draft = try folder.records.makeDraft(of: record.id)
    do throws(CaptureError) {
      try copy(source, to: draft, isCancelled)
      let count = try draft.withPath { path throws(CaptureError) in
        try MovieContents(of: path, container: record.container).sampleCount
      }
      guard count == record.tally.frames else {
        throw CaptureError(.processingFailed, "The copy has \(count) of \(record.tally.frames) frames.")
      }
      try draft.sync(Self.action, ifSupported: true)
      return try size(of: draft)
    } catch {
      folder.records.removeDraft(of: record.id)
      throw error
    }
  }

  private static let action = "The copy of the movie cannot be saved"

  private func size(of draft: Descriptor) throws(CaptureError) -> UInt64 {
    try draft.status(RecordingFolder.looking).size
  }

  private func copy(_ source: Descriptor, to draft: Descriptor, _ isCancelled: () -> Bool) throws(CaptureError) {
    var (synced, failure): (UInt64, CaptureError?) = (0, nil)
    do throws(CaptureError) {
      try source.withPath { sourcePath throws(CaptureError) in
        try draft.withPath { draftPath throws(CaptureError) in
          try SeekableMovie.copy(from: sourcePath, to: draftPath, as: record.container) {
            if isCancelled() { return true }
            do throws(CaptureError) {
              let size = try size(of: draft)
              guard size >= synced + syncInterval else { return false }
              try draft.sync(Self.action, ifSupported: true)
              try checkSpace(for: expectedSize - min(expectedSize, size))
              synced = size
              return false
            } catch {
              failure = error
              return true
            }
          }
        }
      }
    } catch { throw failure ?? error }
  }

  private func checkSpace(for count: UInt64) throws(CaptureError) {
    guard let free = folder.space?.free, !DiskShare(needed: count, leftToOthers: freeSpace).fits(free) else { return }
    let rest = freeSpace > 0 ? ", of which \(freeSpace) must stay free" : ""
    throw CaptureError(
      .processingFailed, "The copy needs \(count) more bytes, and the file system has \(free)\(rest).")
  }

  /// At least the size of the copy. In the index, a frame has at most 44 bytes.
  private var expectedSize: UInt64 { record.tally.fileSize + record.tally.frames * 44 + 64 << 10 }
}

/// Runs the copies that put the index of finished movies in front, one after the other on a thread of their own, so
/// that other recordings and their records never wait for a copy. Thread-safe.
final class SeekableCopies: Sendable {
  /// The most copies that wait or are being made. Each belongs to a recording that is finishing.
  static let maximumCopies = 32

  private struct State {
    var count = 0
    var isCancelled = false
  }

  private let thread = DiskThread(name: "movie-index")
  private let state = Locked(State())

  /// Runs a copy after those that were requested earlier.
  ///
  /// - Parameter body: makes the copy. It asks its argument often, and ends with an error when the answer is true.
  /// - Throws: the error of `body`; `operationInterrupted` once the copies are cancelled; `tooManyRequests` when too
  ///   many copies wait; `processingFailed` when the system cannot create a thread.
  func perform<R: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    try state.withLock { state throws(CaptureError) in
      if state.isCancelled { throw Self.cancelled }
      guard state.count < Self.maximumCopies else {
        throw CaptureError(.tooManyRequests, "\(Self.maximumCopies) other movies wait to be copied.")
      }
      state.count += 1
    }
    defer { state.withLock { $0.count -= 1 } }
    return try await thread.perform { [self] () throws(CaptureError) in
      if isCancelled { throw Self.cancelled }
      return try body { isCancelled }
    }
  }

  /// Ends the copy that is being made and those that wait. No other copy follows.
  func cancel() { state.withLock { $0.isCancelled = true } }

  private var isCancelled: Bool { state.withLock(\.isCancelled) }

  private static var cancelled: CaptureError { CaptureError(.operationInterrupted, "The daemon is shutting down.") }
}

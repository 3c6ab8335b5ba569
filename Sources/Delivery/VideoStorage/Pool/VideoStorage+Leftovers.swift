public import CaptureCore
internal import Locking
internal import Logging

/// Movies whose captures ended too early: with their object, or with an earlier daemon. The storage moves them by
/// itself.
extension VideoStorage {
  /// The longest time between two tries to move a movie, in seconds.
  private static let longestDelay: UInt64 = 32

  /// Takes over a capture that nobody finished, once its writes have ended. Does not block.
  func takeOver(_ entry: CaptureEntry, from writer: BlockWriter) {
    shared.withLock { ($0.capture, $0.isLeft) = (entry, true) }
    thread.enqueue { [self] in
      writer.drain()
      tryToMove(entry, failures: 0)
    }
  }

  /// Takes over the capture of an earlier daemon. On the storage's thread, which moves the movie next.
  ///
  /// - Parameter units: the units that are left.
  func takeOver(_ entry: CaptureEntry, with units: [UInt64]) {
    // A part of the movie may have moved already.
    let left = UInt64(units.filter(entry.units(of: UInt64(unitSize)).contains).count * unitSize)
    let written = min(UInt64(AlignedBytes.whole(Int(entry.length))), left)
    try? update { shared throws(CaptureError) in
      (shared.capture, shared.isLeft) = (entry, true)
      shared.machine.resumeCapture(written: written)
    }
    thread.enqueue { [self] in tryToMove(entry, failures: 0) }
  }

  /// Moves what is on the disk. After a failure the storage tries again by itself, because a full disk may get space,
  /// and somebody may remove the file at the movie's place.
  private func tryToMove(_ entry: CaptureEntry, failures: Int) {
    let folder = shared.withLock { shared in
      // Another capture may have begun since the movie was given up.
      let isLeft = shared.isLeft && shared.capture?.id == entry.id
      return isLeft && !shared.isClosed && !shared.isEnding ? shared.folder : nil
    }
    guard let folder else { return }
    let facts: Logger.Metadata = ["file.path": "\(entry.target)", "file.bytes": "\(entry.length)"]
    do throws(CaptureError) {
      try finish(CaptureMove(folder: folder, entry: entry)) { _ in }
      guard entry.length > 0 else { return }
      logger.notice("The video storage had a movie that was not finished, and moved it to its place.", metadata: facts)
    } catch {
      if error.reason == .operationInterrupted { return }
      if failures == 0 {
        logger.warning(
          """
          The video storage has a movie that was not finished, and cannot move it. The daemon tries again; a capacity \
          of 0 gives the movie up.
          """, metadata: facts.merging(["error.message": "\(error.message)"]) { $1 })
      }
      let delay = min(Self.longestDelay, 1 << UInt64(min(failures, 6)))
      Task { [weak self, sleep] in
        await sleep(delay * 1_000_000_000)
        guard let self else { return }
        thread.enqueue { self.tryToMove(entry, failures: failures + 1) }
      }
    }
  }

  /// Forgets a movie that cannot move. On the storage's thread.
  func giveUpLeftMovie() throws(CaptureError) {
    guard var entry = shared.withLock({ $0.isLeft ? $0.capture : nil }) else { return }
    let facts: Logger.Metadata = ["file.path": "\(entry.target)", "file.bytes": "\(entry.length)"]
    entry.length = 0
    let folder = try openFolder()
    try folder.ledger.write(entry)
    try finish(CaptureMove(folder: folder, entry: entry)) { _ in }
    logger.warning("A movie that could not leave the video storage was given up.", metadata: facts)
  }

  /// Tells that the storage no longer has a movie that it had to move by itself. On the storage's thread, before the
  /// state tells it, so that who sees the state finds what follows from it.
  func tellOfLeftMovie(_ entry: CaptureEntry) {
    let movie = LeftMovie(target: entry.target, hasFile: entry.length > 0)
    let tell = shared.withLock { shared in
      guard shared.isLeft else { return nil as (@Sendable (LeftMovie) -> Void)? }
      shared.newestGone = movie
      return shared.whenGone
    }
    tell?(movie)
  }
}

/// A movie that the video storage had to move by itself, because its capture ended without that, and no longer has.
public struct LeftMovie: Hashable, Sendable {
  /// The absolute path that the movie was to get.
  public let target: String
  /// Whether the movie is at that path. Otherwise nothing of it was on the disk, or it was given up.
  public let hasFile: Bool

  /// Creates a movie.
  public init(target: String, hasFile: Bool) { (self.target, self.hasFile) = (target, hasFile) }
}

/// What those who know the files of movies must know of the storage.
extension VideoStorage {
  /// Whether the folder of the storage is there and was read, so that ``movieInside`` is sure. False before the first
  /// capacity.
  public var isReadable: Bool { shared.withLock { $0.folder != nil && $0.unreadable == nil } }

  /// The absolute path of the movie that is in the storage, also while it moves. A file there is not the movie. Nil
  /// for none.
  public var movieInside: String? { shared.withLock { $0.capture?.target } }

  /// Gives up a movie whose capture has ended, and which has not moved to its place. Waits while it moves. Does nothing
  /// when the storage has no such movie then.
  ///
  /// - Parameter target: the absolute path of the movie.
  /// - Throws: `processingFailed` when the disk fails.
  public func giveUp(_ target: String) async throws(CaptureError) {
    try await thread.perform { [self] () throws(CaptureError) in
      if movieInside == target { try giveUpLeftMovie() }
    }
  }

  /// Calls `body` with each movie that the storage had to move by itself and no longer has: with the newest of them
  /// before this call, and with each later one before the state of the storage tells it.
  ///
  /// - Parameter body: called on a thread of the storage, for which it must not wait.
  public func whenLeftMovieIsGone(_ body: @escaping @Sendable (LeftMovie) -> Void) {
    let newest = shared.withLock { shared in
      shared.whenGone = body
      return shared.newestGone
    }
    if let newest { body(newest) }
  }

  /// Breaks off the move of a movie, because the daemon ends. No movie moves after this; the next daemon moves the
  /// rest. Does not wait.
  public func breakOffMoves() { shared.withLock { $0.isEnding = true } }
}

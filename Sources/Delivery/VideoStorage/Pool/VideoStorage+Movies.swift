public import CaptureCore
internal import Locking

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

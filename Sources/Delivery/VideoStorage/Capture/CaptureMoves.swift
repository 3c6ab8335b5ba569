internal import CaptureCore
internal import Logging

/// Moves movies out of the video storage: when their captures are finished, and by itself those whose captures ended
/// too early, with their object or with an earlier daemon. Thread-safe.
final class CaptureMoves: Sendable {
  /// The longest time between two tries to move a movie, in seconds.
  private static let longestDelay: UInt64 = 32

  /// The thread of the storage.
  let thread: DiskThread
  private let keeper: PoolKeeper
  private let status: PoolStatus
  private let logger: Logger
  /// Waits before a movie is moved once more.
  private let sleep: @Sendable (_ nanoseconds: UInt64) async -> Void

  init(
    _ keeper: PoolKeeper, thread: DiskThread, status: PoolStatus, logger: Logger,
    sleep: @escaping @Sendable (_ nanoseconds: UInt64) async -> Void
  ) {
    (self.keeper, self.thread, self.status) = (keeper, thread, status)
    (self.logger, self.sleep) = (logger, sleep)
  }

  /// Takes how far the capture has written.
  func wrote(upTo end: UInt64) {
    try? status.change { machine throws(CaptureError) in machine.wrote(upTo: end) }
  }

  /// Moves the movie of the capture to its place. On the storage's thread.
  func finish(_ move: CaptureMove, _ progress: (UInt64) -> Void) throws(CaptureError) {
    do throws(CaptureError) {
      // Who knows the file learns first that the movie is given up: after a crash in between, the entry is still there,
      // and the next start tells it again.
      let isGivenUp = move.entry.length == 0
      if isGivenUp { tellOfLeftMovie(move.entry) }
      try move.run(isBrokenOff: { status.withLock(\.movie.isEnding) }, progress: progress)
      let left = try move.folder.units().count
      if !isGivenUp { tellOfLeftMovie(move.entry) }
      try status.update { facts throws(CaptureError) in
        facts.movie.end()
        facts.machine.endCapture(units: left)
      }
      keeper.adjustLater()
    } catch {
      if error.reason == .operationInterrupted {
        logger.notice(
          "The daemon ends while a movie leaves the video storage. The next start moves the rest.",
          metadata: ["file.path": "\(move.entry.target)", "file.bytes": "\(move.entry.length)"])
      }
      status.note(error)
      throw error
    }
  }

  /// Takes over a capture that nobody finished, once its writes have ended. Does not block.
  func takeOver(_ entry: CaptureEntry, from writer: BlockWriter) {
    status.withLock { $0.movie.takeOver(entry) }
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
    let left = UInt64(units.filter(entry.units(of: UInt64(keeper.unitSize)).contains).count * keeper.unitSize)
    let written = min(UInt64(AlignedBytes.whole(Int(entry.length))), left)
    try? status.update { facts throws(CaptureError) in
      facts.movie.takeOver(entry)
      facts.machine.resumeCapture(written: written)
    }
    thread.enqueue { [self] in tryToMove(entry, failures: 0) }
  }

  /// Moves what is on the disk. After a failure the storage tries again by itself, because a full disk may get space,
  /// and somebody may remove the file at the movie's place.
  private func tryToMove(_ entry: CaptureEntry, failures: Int) {
    let folder = status.withLock { facts in
      // Another capture may have begun since the movie was given up.
      let isLeft = facts.movie.left?.id == entry.id
      return isLeft && !facts.isClosed && !facts.movie.isEnding ? facts.folder : nil
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
    guard var entry = status.withLock(\.movie.left) else { return }
    let facts: Logger.Metadata = ["file.path": "\(entry.target)", "file.bytes": "\(entry.length)"]
    entry.length = 0
    let folder = try keeper.openFolder()
    try folder.ledger.write(entry)
    try finish(CaptureMove(folder: folder, entry: entry)) { _ in }
    logger.warning("A movie that could not leave the video storage was given up.", metadata: facts)
  }

  /// Tells that the storage no longer has a movie that it had to move by itself. On the storage's thread, before the
  /// state tells it, so that who sees the state finds what follows from it.
  private func tellOfLeftMovie(_ entry: CaptureEntry) {
    let movie = LeftMovie(target: entry.target, hasFile: entry.length > 0)
    let tell = status.withLock { $0.movie.whoLearns(of: movie) }
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

internal import CaptureCore
internal import Logging
internal import Synchronization

/// Movies whose captures ended too early: with their object, or with an earlier daemon.
extension VideoStorage {
  /// The longest time between two tries to move a movie, in seconds.
  private static let longestDelay: UInt64 = 32

  /// Takes over a capture that nobody finished, once its writes have ended. Does not block.
  func takeOver(_ entry: CaptureEntry, from writer: BlockWriter) {
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
    try? change { machine throws(CaptureError) in machine.resumeCapture(written: written) }
    thread.enqueue { [self] in tryToMove(entry, failures: 0) }
  }

  /// Moves what is on the disk. After a failure the storage tries again by itself, because a full disk may get space,
  /// and somebody may remove the file at the movie's place.
  private func tryToMove(_ entry: CaptureEntry, failures: Int) {
    guard let folder = shared.withLock({ $0.isClosed || $0.abandoned == entry.id ? nil : $0.folder }) else { return }
    let facts: Logger.Metadata = ["file": "\(entry.target)", "bytes": "\(entry.length)"]
    do throws(CaptureError) {
      try finish(CaptureMove(folder: folder, entry: entry)) { _ in }
      shared.withLock { $0.stuck = nil }
      guard entry.length > 0 else { return }
      logger.notice("The video storage had a movie that was not finished, and moved it to its place.", metadata: facts)
    } catch {
      shared.withLock { $0.stuck = entry }
      if failures == 0 {
        logger.warning(
          """
          The video storage has a movie that was not finished, and cannot move it. \(error.message) The daemon tries \
          again; a capacity of 0 gives the movie up.
          """, metadata: facts)
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
  func giveUpStuckMovie() throws(CaptureError) {
    guard var entry = shared.withLock(\.stuck) else { return }
    let facts: Logger.Metadata = ["file": "\(entry.target)", "bytes": "\(entry.length)"]
    entry.length = 0
    let folder = try openFolder()
    try folder.ledger.write(entry)
    try finish(CaptureMove(folder: folder, entry: entry)) { _ in }
    shared.withLock { ($0.stuck, $0.abandoned) = (nil, entry.id) }
    logger.warning("An operator gave up a movie that could not leave the video storage.", metadata: facts)
  }
}

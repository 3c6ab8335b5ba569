public import CaptureCore
internal import Logging
internal import Locking
internal import SystemFiles

extension VideoStorage {
  /// The most writes of a capture at once, and the bytes of each.
  static let (depth, bufferSize) = (32, 512 << 10)

  /// Begins a capture.
  ///
  /// - Parameter target: the absolute path that the movie gets when it is finished. Its folder exists, on any file
  ///   system, and has no file of that name. An empty draft in it shows that a file can be made there.
  /// - Throws: `videoStorageNotSupported`; `videoStorageNotConfigured`; `videoStorageBusy`, also while the movie of
  ///   another capture moves; `videoStorageFull` when captures took everything; `invalidArgument` for a path that is
  ///   too long; `processingFailed` when the disk fails, or the movie could not get its place.
  public func beginCapture(to target: String) async throws(CaptureError) -> VideoStorageCapture {
    guard target.hasPrefix("/"), target.utf8.count <= CaptureEntry.longestTarget else {
      throw CaptureError(
        .invalidArgument, "The path of a movie must be absolute, and at most \(CaptureEntry.longestTarget) bytes long.",
        field: "file")
    }
    _ = await state
    try shared.withLock { shared throws(CaptureError) in try shared.check() }
    return try await thread.perform { [self] () throws(CaptureError) in
      try change { machine throws(CaptureError) in try machine.beginCapture() }
      do throws(CaptureError) { return try capture(to: target, in: try openFolder()) } catch {
        try change { machine throws(CaptureError) in machine.endCapture(units: machine.units) }
        throw error
      }
    }
  }

  private func capture(to target: String, in folder: PoolFolder) throws(CaptureError) -> VideoStorageCapture {
    let place = try TargetPlace(target)
    try place.checkIsFree()
    let units = try folder.closeGaps()
    let entry = CaptureEntry(id: .random(in: .min ... .max), target: target, firstUnit: units.first ?? 0)
    let writer = BlockWriter(
      units: try UnitFiles(units, in: folder, thread: thread), queue: try makeQueue(), depth: Self.depth,
      bufferSize: min(Self.bufferSize, unitSize))
    // The ledger first, so that no crash leaves a draft that nobody knows.
    try folder.ledger.write(entry)
    do throws(CaptureError) {
      let action = "The file system of a movie cannot be looked at"
      let isElsewhere =
        try place.openDraft(entry.draftName).status(action).device != folder.folder.status(action).device
      shared.withLock { ($0.capture, $0.isLeft) = (entry, false) }
      return VideoStorageCapture(of: self, folder, writer, entry, movesToOtherFileSystem: isElsewhere)
    } catch {
      try? folder.ledger.write(nil)
      throw error
    }
  }

  private func makeQueue() throws(CaptureError) -> any BlockQueue {
    do throws(CaptureError) { return try RingQueue(depth: Self.depth) } catch {
      logger.debug(
        "A thread writes captures in place of io_uring.", metadata: ["error.message": "\(error.message)"])
      return try ThreadQueue(depth: Self.depth)
    }
  }

  /// Takes how far the capture has written.
  func wrote(upTo end: UInt64) {
    try? change { machine throws(CaptureError) in machine.wrote(upTo: end) }
  }

  /// Moves the movie of the capture to its place. On the storage's thread.
  func finish(_ move: CaptureMove, _ progress: (UInt64) -> Void) throws(CaptureError) {
    do throws(CaptureError) {
      // Who knows the file learns first that the movie is given up: after a crash in between, the entry is still there,
      // and the next start tells it again.
      let isGivenUp = move.entry.length == 0
      if isGivenUp { tellOfLeftMovie(move.entry) }
      try move.run(isBrokenOff: { shared.withLock(\.isEnding) }, progress: progress)
      let left = try move.folder.units().count
      if !isGivenUp { tellOfLeftMovie(move.entry) }
      try update { shared throws(CaptureError) in
        (shared.capture, shared.isLeft) = (nil, false)
        shared.machine.endCapture(units: left)
      }
      adjustLater()
    } catch {
      if error.reason == .operationInterrupted {
        logger.notice(
          "The daemon ends while a movie leaves the video storage. The next start moves the rest.",
          metadata: ["file.path": "\(move.entry.target)", "file.bytes": "\(move.entry.length)"])
      }
      note(error)
      throw error
    }
  }

  /// Shows an error in the state.
  func note(_ error: CaptureError) {
    try? change { machine throws(CaptureError) in machine.note(error) }
  }
}

internal import CaptureCore
internal import Locking
internal import Logging
internal import VideoStorage

/// Recordings whose movies are in the video storage. If there is a file at the path of such a movie, it is not the
/// recording's. Thread-safe.
final class CapturedRecordings: Sendable {
  private let catalog: RecordingCatalog
  /// The record on the disk of a movie that an earlier daemon left in the video storage.
  private let unrepaired: Locked<RecordingRecord?>

  init(_ catalog: RecordingCatalog, unrepaired: RecordingRecord?) {
    self.catalog = catalog
    self.unrepaired = Locked(unrepaired)
  }

  /// Writes how a recording ended whose whole movie is in the video storage. The next start then knows the end, even if
  /// this daemon ends while the movie moves. A failure is only logged, because the movie loses nothing else by it.
  func saveEnd(of record: RecordingRecord) async {
    var saved = record
    (saved.state, saved.isCaptured) = (.finishing, true)
    let captured = saved
    do throws(CaptureError) {
      try await catalog.thread.perform { [catalog] () throws(CaptureError) in try catalog.folder.records.write(captured)
      }
    } catch {
      catalog.logger.warning(
        "The daemon cannot note that a movie is in the video storage.",
        metadata: ["recording.id": "\(record.id)", "error.message": "\(error.message)"])
    }
  }

  /// Takes note that a movie left the video storage, or was lost there, after its recording had ended. Blocks until the
  /// record is on the disk. That cannot block for ever, because the store's thread never waits for the video storage.
  func leftMovieIsGone(_ movie: LeftMovie) {
    try? catalog.thread.wait { [self] () throws(CaptureError) in
      let ended = catalog.entries.withLock { entries in
        entries.values.first { $0.record.state == .finished && catalog.path(of: $0.record) == movie.target }?.record
      }
      // The next start repairs a recording that has not ended yet.
      guard let ended else { return }
      let left = unrepaired.withLock { unrepaired in
        defer { unrepaired = nil }
        return unrepaired?.id == ended.id ? unrepaired : nil
      }
      var record = lost(ended, isLeft: left != nil)
      if movie.hasFile {
        // If the daemon was once started without the storage, the record on the disk may say that nothing of the
        // recording plays. The movie has a file now, so this repairs the record by the file.
        record = (left ?? (ended.tally.fileSize == 0 ? ended : nil)).map(repaired) ?? ended
      }
      catalog.settle(record)
      do throws(CaptureError) {
        try catalog.complete(record)
      } catch {
        catalog.logger.warning(
          "The daemon cannot finish the recording of a movie that left the video storage.",
          metadata: ["recording.id": "\(record.id)", "error.message": "\(error.message)"])
        // Remove the record on the disk, which also works on a full disk. With it, the next start would take another
        // file for the movie.
        if record.isLost { try? catalog.folder.records.remove(record.id) }
      }
    }
  }

  /// Returns the record of a movie that an earlier daemon left in the video storage, repaired by the file of the movie.
  private func repaired(_ record: RecordingRecord) -> RecordingRecord {
    let (repaired, problem) = FileRepair(folder: catalog.folder).finished(record)
    catalog.logger.log(
      level: problem == nil ? .notice : .warning, "The recording of a movie that left the video storage was repaired.",
      metadata: [
        "recording.id": "\(record.id)", "recording.file": "\(record.file)",
        "recording.frames": "\(repaired.tally.frames)",
        "recording.problem": "\(problem ?? "none")",
      ])
    return repaired
  }

  /// Returns the record of a movie that is lost.
  ///
  /// - Parameter isLeft: whether an earlier daemon left the movie in the video storage.
  private func lost(_ record: RecordingRecord, isLeft: Bool) -> RecordingRecord {
    var lost = record.lost
    if isLeft { lost.end = .daemonEnded("Its movie did not leave the video storage.") }
    return lost
  }
}

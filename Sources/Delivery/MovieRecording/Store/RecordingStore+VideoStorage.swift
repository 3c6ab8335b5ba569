internal import CaptureCore
internal import Logging
internal import Locking
internal import VideoStorage

/// Recordings whose movies are in the video storage. A file at the place of such a movie is somebody else's.
extension RecordingStore {
  /// Whether the movie of a recording is in the video storage, also while it moves.
  func isInVideoStorage(_ record: RecordingRecord) -> Bool {
    guard let movie = videoStorage?.movieInside else { return false }
    return movie == path(of: record)
  }

  /// Writes how a recording ended whose whole movie is in the video storage, so that the end outlives a daemon that
  /// ends while the movie moves. A failure costs only that, and is logged.
  func saveEnd(of record: RecordingRecord) async {
    var saved = record
    (saved.state, saved.isCaptured) = (.finishing, true)
    let captured = saved
    do throws(CaptureError) {
      try await thread.perform { [self] () throws(CaptureError) in try folder.records.write(captured) }
    } catch {
      logger.warning("\(error.message)", metadata: ["recording": "\(record.id)"])
    }
  }

  /// Takes what became of a movie that was still in the video storage when its recording had ended. Blocks until
  /// the record is on the disk. Nothing on the store's thread waits for the video storage, so neither waits for ever.
  func leftMovieIsGone(_ movie: LeftMovie) {
    try? thread.wait { [self] () throws(CaptureError) in
      let ended = entries.withLock { entries in
        entries.values.first { $0.record.state == .finished && path(of: $0.record) == movie.target }?.record
      }
      // The next start repairs a recording that has not ended yet.
      guard let ended else { return }
      let left = unrepaired.withLock { unrepaired in
        defer { unrepaired = nil }
        return unrepaired?.id == ended.id ? unrepaired : nil
      }
      var record = lost(ended, isLeft: left != nil)
      if movie.hasFile {
        // A start without the storage may have taken the recording for one of which nothing plays.
        record = (left ?? (ended.tally.fileSize == 0 ? ended : nil)).map(repaired) ?? ended
      }
      settle(record)
      do throws(CaptureError) {
        try complete(record)
      } catch {
        logger.warning("\(error.message)", metadata: ["recording": "\(record.id)"])
        // The record on the disk would let the next start take another file for the movie. A full disk removes it.
        if record.isLost { try? folder.records.remove(record.id) }
      }
    }
  }

  /// The record of a movie that an earlier daemon left, by its file.
  private func repaired(_ record: RecordingRecord) -> RecordingRecord {
    let (repaired, problem) = FileRepair(folder: folder).finished(record)
    logger.log(
      level: problem == nil ? .notice : .warning, "The recording of a movie that left the video storage was repaired.",
      metadata: [
        "recording": "\(record.id)", "file": "\(record.file)", "frames": "\(repaired.tally.frames)",
        "problem": "\(problem ?? "none")",
      ])
    return repaired
  }

  /// The record of a movie that was given up.
  ///
  /// - Parameter isLeft: whether an earlier daemon left the movie.
  private func lost(_ record: RecordingRecord, isLeft: Bool) -> RecordingRecord {
    var lost = record.lost
    if isLeft { lost.end = .daemonEnded("Its movie did not leave the video storage.") }
    return lost
  }

  /// The error of a file that is not there yet.
  func inVideoStorage(_ record: RecordingRecord) -> CaptureError {
    CaptureError(
      .recordingInProgress,
      "The movie of the recording \(record.id) is in the video storage, and has no file yet; try again when "
        + "WatchVideoStorage tells that the storage is not busy.",
      metadata: ["recording": record.id])
  }
}

internal import CaptureCore
internal import Logging
internal import Locking
internal import VideoCoding

/// Movies whose index comes first, so that they play over a network after a small download.
extension RecordingStore {
  /// Replaces the file of a recording by one with its index in front. The recorder has closed the file, and the record
  /// on the storage does not say yet that the recording is finished. Files that are open stay as they are.
  ///
  /// - Parameters:
  ///   - record: the record, which is not finished.
  ///   - copies: makes the copy.
  ///   - freeSpace: the free space of the file system that the copy leaves, in bytes.
  /// - Returns: the record with the size of the new file. When there is no new file, the record as it was: the log says
  ///   why.
  func optimize(
    _ record: RecordingRecord, by copies: SeekableCopies, leaving freeSpace: UInt64
  ) async -> RecordingRecord {
    do throws(CaptureError) {
      return try await copies.perform { [self] isCancelled throws(CaptureError) in
        let draft = SeekableDraft(folder: folder, record: record, freeSpace: freeSpace)
        let size = try draft.make(isCancelled)
        return try replaceFile(of: record, size: size)
      }
    } catch {
      catalog.logger.warning(
        "A movie was not optimized for network use, and stays as it was recorded. \(error.message)",
        metadata: ["recording": "\(record.id)", "file": "\(record.file)"])
      return record
    }
  }

  /// Puts the draft of a recording in the place of its file.
  private func replaceFile(of record: RecordingRecord, size: UInt64) throws(CaptureError) -> RecordingRecord {
    var optimized = record
    optimized.isOptimizedForNetworkUse = true
    optimized.tally.fileSize = size
    do throws(CaptureError) {
      let name = try RecordingFileName(record.file, container: record.container)
      // The system frees the blocks of the old file when it is closed. Nobody waits for that while it is open here.
      let old = try folder.open(name)
      // Nobody opens the new file with the length of the old one.
      try catalog.files.withLock { _ throws(CaptureError) in
        try folder.replace(name, byDraftOf: record.id)
        catalog.entries.withLock { $0[record.id] = RecordingCatalog.Entry(optimized) }
      }
      withExtendedLifetime(old) {}
    } catch {
      folder.records.removeDraft(of: record.id)
      throw error
    }
    return optimized
  }
}

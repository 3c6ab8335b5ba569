internal import CaptureCore
internal import Locking
internal import Logging
internal import Synchronization

/// The times of segments that were recorded before somebody set the clock.
extension RecordingStore {
  /// A record with its true times, as far as the clocks tell them now.
  func dated(_ record: RecordingRecord) -> RecordingRecord {
    TimeCorrection.now(boot: boot).corrected(record) ?? record
  }

  /// The most records that are corrected for one segment. Each one waits for the disk, and the next segment must not
  /// wait for many.
  private static var batch: Int { 64 }

  /// Puts the true times of segments on the storage once they are known. On the store's thread, after a segment has
  /// been reserved.
  ///
  /// The names of the files stay, although they begin with the wrong time: players and links know them, and the record
  /// alone says what a file is.
  func correctTimes() {
    let correction = TimeCorrection.now(boot: boot)
    let corrected = entries.withLock { entries in
      let found = Array(entries.values.lazy.compactMap { correction.corrected($0.record) }.prefix(Self.batch))
      for record in found { entries[record.id]?.record = record }
      return found
    }
    for record in corrected {
      do throws(CaptureError) { try folder.records.write(record) } catch {
        logger.warning("\(error.message)", metadata: ["recording": "\(record.id)"])
      }
    }
    guard !corrected.isEmpty, !saysThatClockWasSet.exchange(true, ordering: .relaxed) else { return }
    logger.info("The wall clock has been set, so segments that were recorded before have their true times now.")
  }
}

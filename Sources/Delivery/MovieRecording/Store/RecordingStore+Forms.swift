internal import CaptureCore
internal import Locking
internal import VideoCoding

/// What the files of recordings say once about their tracks. A finished recording keeps it in its record, so that
/// nobody has to open thousands of files to list the spans of time that were recorded.
extension RecordingStore {
  /// The records with their forms. Opens the files of those whose form is not known yet, which are those that are being
  /// recorded. A file that cannot be read leaves the form open.
  ///
  /// - Throws: `processingFailed` when the system gives no thread.
  func withForms(_ records: [RecordingRecord]) async throws(CaptureError) -> [RecordingRecord] {
    var known = catalog.entries.withLock { entries in
      records.map { record in
        var record = record
        record.form = record.form ?? entries[record.id]?.form
        return record
      }
    }
    let unknown = known.indices.filter { known[$0].needsForm && !isInVideoStorage(known[$0]) }
    guard !unknown.isEmpty else { return known }
    let wanted = unknown.map { known[$0] }
    let found = try await readingThread.perform { [self] () throws(CaptureError) in wanted.map(readForm) }
    for (index, form) in zip(unknown, found) { known[index].form = form }
    return known
  }

  /// Reads the form of a recording's file, and remembers it. Nil when the file cannot be read. Blocks.
  private func readForm(of record: RecordingRecord) -> MovieForm? {
    guard let form = try? openAndWait(record.id).form(record.container) else { return nil }
    catalog.entries.withLock { $0[record.id]?.form = form }
    return form
  }
}

extension RecordingRecord {
  /// Whether the file says what nobody has looked at yet.
  var needsForm: Bool { form == nil && tally.fileSize > 0 && container.hasIndex }
}

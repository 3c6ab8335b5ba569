internal import CaptureCore
internal import FoundationEssentials
internal import Glibc
internal import SystemFiles
internal import VideoCoding

/// The records on the disk: a file in JSON for each recording, in a folder that only one daemon uses. All methods
/// block.
final class RecordFiles: Sendable {
  /// The name of the folder. Recordings cannot have it, because it begins with a dot.
  static let name = ".firstlight"

  /// What ``load()`` found.
  struct Loaded {
    var records: [RecordingRecord] = []
    /// The names of the files that are no records and were renamed.
    var damaged: [String] = []
  }

  private let folder: Descriptor
  private let lock: FolderLock

  /// Locks the folder.
  ///
  /// - Throws: `processingFailed` when another daemon has the lock, or when the folder cannot be written.
  init(_ folder: Descriptor, in path: String) throws(CaptureError) {
    lock = try FolderLock(
      of: folder, "the folder of recordings", path, "The folder of recordings \(path) cannot be locked")
    self.folder = folder
  }

  /// Lets another store have the folder.
  func unlock() { lock.unlock() }

  private static let ending = ".json"
  private static let draft = ".new"
  /// A record takes about a kilobyte.
  private static let largestRecord = 64 << 10

  /// Reads all records. A file that is no record is renamed to `….damaged`, and drafts of a daemon that ended while it
  /// wrote are removed.
  func load() -> Loaded {
    var loaded = Loaded()
    for name in folder.names().names.sorted() {
      if name.hasSuffix(Self.draft) {
        folder.remove(name)
      } else if name.hasSuffix(Self.ending) {
        if let record = record(in: name) {
          loaded.records.append(record)
        } else {
          try? folder.rename(name, to: "\(name).damaged", "")
          loaded.damaged.append(name)
        }
      }
    }
    return loaded
  }

  private func record(in name: String) -> RecordingRecord? {
    guard let file = try? folder.open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY, ""),
      let bytes = try? file.read(at: 0, count: Self.largestRecord, ""),
      let record = try? JSONDecoder().decode(RecordingRecord.self, from: Data(bytes))
    else { return nil }
    // A record that was changed by hand must not lead out of the folder.
    let path = try? RecordingFileName(record.file, container: record.container).path
    return name == record.id + Self.ending && path == record.file ? record : nil
  }

  /// Replaces the record on the storage, completely or not at all.
  func write(_ record: RecordingRecord) throws(CaptureError) {
    let action = "The record of the recording \(record.file) cannot be written"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    guard let bytes = try? encoder.encode(record) else { throw .system(action, EINVAL) }
    let name = record.id + Self.ending
    try folder.replace(name, with: Array(bytes), by: name + Self.draft, action, ifSupported: true)
    try folder.sync(action, ifSupported: true)
  }

  /// Makes an empty file for a movie that will replace the file of a recording. The next start removes what a crash
  /// leaves of it.
  func makeDraft(of id: String) throws(CaptureError) -> Descriptor {
    try folder.open(Self.movieDraft(id), O_RDWR | O_CREAT | O_TRUNC, "The copy of the movie cannot be made")
  }

  /// Removes the movie that will not replace the file of a recording.
  func removeDraft(of id: String) { folder.remove(Self.movieDraft(id)) }

  /// Moves the movie that replaces the file of a recording to its name.
  func moveDraft(of id: String, to parent: Descriptor, _ name: String, _ action: String) throws(CaptureError) {
    try folder.rename(Self.movieDraft(id), to: name, in: parent, action)
  }

  private static func movieDraft(_ id: String) -> String { "\(id).movie\(draft)" }

  /// Removes the record of a recording.
  func remove(_ id: String) throws(CaptureError) {
    let action = "The record of the recording \(id) cannot be deleted"
    try folder.remove(id + Self.ending, action)
    try folder.sync(action, ifSupported: true)
  }
}

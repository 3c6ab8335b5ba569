internal import CaptureCore
internal import FoundationEssentials
internal import Glibc
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
  /// Holds the lock until ``unlock()``, or until this object goes.
  private let lock: Descriptor

  /// Locks the folder.
  ///
  /// - Throws: `processingFailed` when another daemon has the lock, or when the folder cannot be written.
  init(_ folder: consuming Descriptor, in path: String) throws(CaptureError) {
    let action = "The folder of recordings \(path) cannot be locked"
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    lock = try Descriptor(openat(folder.number, "lock", flags, 0o644), action)
    guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw .system(action) }
      throw CaptureError(
        .processingFailed, "Another daemon already uses the folder of recordings \(path); give each its own folder.",
        metadata: ["folder": path])
    }
    self.folder = folder
  }

  /// Lets another store have the folder.
  func unlock() { flock(lock.number, LOCK_UN) }

  private static let ending = ".json"
  private static let draft = ".new"
  /// A record takes about a kilobyte.
  private static let largestRecord = 64 << 10

  /// Reads all records. A file that is no record is renamed to `….damaged`, and drafts of a daemon that ended while it
  /// wrote are removed.
  func load() -> Loaded {
    var loaded = Loaded()
    for name in names() {
      if name.hasSuffix(Self.draft) {
        unlinkat(folder.number, name, 0)
      } else if name.hasSuffix(Self.ending) {
        if let record = record(in: name) {
          loaded.records.append(record)
        } else {
          renameat(folder.number, name, folder.number, "\(name).damaged")
          loaded.damaged.append(name)
        }
      }
    }
    return loaded
  }

  private func record(in name: String) -> RecordingRecord? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    guard let file = try? Descriptor(openat(folder.number, name, flags), ""),
      let bytes = try? file.read(at: 0, count: Self.largestRecord),
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
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
    do throws(CaptureError) {
      let file = try Descriptor(openat(folder.number, name + Self.draft, flags, 0o644), action)
      try file.write(Array(bytes), action)
      try file.sync(action)
      guard renameat(folder.number, name + Self.draft, folder.number, name) == 0 else { throw .system(action) }
    } catch {
      unlinkat(folder.number, name + Self.draft, 0)
      throw error
    }
    try folder.sync(action)
  }

  /// Makes an empty file for a movie that will replace the file of a recording. The next start removes what a crash
  /// leaves of it.
  func makeDraft(of id: String) throws(CaptureError) -> Descriptor {
    let flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
    return try Descriptor(
      openat(folder.number, Self.movieDraft(id), flags, 0o644), "The copy of the movie cannot be made")
  }

  /// Removes the movie that will not replace the file of a recording.
  func removeDraft(of id: String) { unlinkat(folder.number, Self.movieDraft(id), 0) }

  /// Moves the movie that replaces the file of a recording to its name.
  func moveDraft(
    of id: String, to parent: borrowing Descriptor, _ name: String, _ action: String
  ) throws(CaptureError) {
    guard renameat(folder.number, Self.movieDraft(id), parent.number, name) == 0 else { throw .system(action) }
  }

  private static func movieDraft(_ id: String) -> String { "\(id).movie\(draft)" }

  /// Removes the record of a recording.
  func remove(_ id: String) throws(CaptureError) {
    let action = "The record of the recording \(id) cannot be deleted"
    if unlinkat(folder.number, id + Self.ending, 0) != 0, errno != ENOENT { throw .system(action) }
    try folder.sync(action)
  }

  private func names() -> [String] {
    // `fdopendir` takes over its descriptor, so the folder is opened a second time.
    let own = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { return [] }
    guard let stream = fdopendir(own) else {
      close(own)
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      // An entry is only as long as its name, so the name is read at its address.
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name)!
      names.append(String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)))
    }
    return names.sorted()
  }
}

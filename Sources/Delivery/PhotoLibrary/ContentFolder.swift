internal import CaptureCore
internal import Glibc
internal import SystemFiles

/// The files of assets. All methods block.
///
/// A new file is written to the folder `incoming` and, when the database has its row, moves to a folder of `contents`.
/// So a daemon that starts need only look at `incoming`: what has a row there moves on, and all else was never
/// acknowledged and goes. A file is in one of the folders for as long as it has a row, also after a power failure.
final class ContentFolder: Sendable {
  /// The name of the database, which lies beside the folders of the files.
  static let databaseName = "library.sqlite"
  private static let writing = "A file of the photo library cannot be written"
  static let reading = "A file of the photo library cannot be read"

  /// Whether there was a database when the folder was opened.
  let hasDatabase: Bool
  private let lock: FolderLock
  private let incoming: Descriptor
  private let contents: Descriptor

  /// Opens the folder of the library, makes what is missing in it, and keeps other daemons out.
  ///
  /// - Throws: `processingFailed`, also when another daemon uses the folder.
  init(path: String) throws(CaptureError) {
    let action = "The photo library \(path) cannot be used"
    let built = Descriptor.makeFolders(on: path)
    let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY, action)
    try Descriptor.open("\(built)/..", O_RDONLY | O_DIRECTORY, action).sync(action, ifSupported: true)
    lock = try FolderLock(of: folder, "the photo library", path, action)
    hasDatabase = (try? folder.status(of: Self.databaseName, action)).map { $0.size > 0 } ?? false
    for name in ["incoming", "contents"] { _ = try folder.makeFolder(name, action) }
    incoming = try folder.open("incoming", O_RDONLY | O_DIRECTORY, action)
    contents = try folder.open("contents", O_RDONLY | O_DIRECTORY, action)
    try folder.sync(action, ifSupported: true)
  }

  /// How much of the disk is free. Nil when the system does not tell.
  var space: DiskSpace? { contents.space }

  /// Writes a new file, and puts its bytes on the storage. ``sync()`` has to follow.
  func write(_ buffer: FrameBuffer, to name: String) throws(CaptureError) {
    let file = try incoming.open(name, O_WRONLY | O_CREAT | O_EXCL, Self.writing)
    try buffer.withUnsafeBytes { bytes throws(CaptureError) in try file.write(bytes, Self.writing) }
    try file.sync(Self.writing, ifSupported: true)
  }

  /// Puts the names of new files on the storage.
  func sync() throws(CaptureError) { try incoming.sync(Self.writing, ifSupported: true) }

  /// Gives up a new file that has no row.
  func discard(_ name: String) { incoming.remove(name) }

  /// Moves new files, whose rows are on the storage, to their places. A file that the system does not move stays where
  /// it can be read, and moves when the daemon starts again.
  func place(_ names: [String]) {
    for (group, names) in Dictionary(grouping: names, by: Self.group) {
      guard let folder = try? folder(group, makes: true) else { continue }
      for name in names { try? incoming.rename(name, to: name, in: folder, Self.writing) }
      // The next change puts on the storage that the files are not in `incoming` any more.
      try? folder.sync(Self.writing, ifSupported: true)
    }
  }

  /// The names of the files that have not moved.
  func unplaced() -> [String] { incoming.names().names.filter { $0 != "." && $0 != ".." } }

  /// Whether any file has ever been moved to its place.
  var hasGroups: Bool { contents.names().names.contains { $0 != "." && $0 != ".." } }

  /// Opens a file for reading.
  ///
  /// - Throws: `processingFailed` when it is not there, or when the system does not open it.
  func open(_ name: String) throws(CaptureError) -> Descriptor {
    if let file = try ifThere({ () throws(CaptureError) in try placed(name) }) { return file }
    if let file = try ifThere({ () throws(CaptureError) in try incoming.open(name, O_RDONLY, Self.reading) }) {
      return file
    }
    // The file may have moved between the two looks.
    return try placed(name)
  }

  private func placed(_ name: String) throws(CaptureError) -> Descriptor {
    try folder(Self.group(of: name)).open(name, O_RDONLY, Self.reading)
  }

  /// Removes files that have no row any more, and puts that on the storage.
  func remove(_ names: [String]) throws(CaptureError) {
    for (group, names) in Dictionary(grouping: names, by: Self.group) {
      if let folder = try ifThere({ () throws(CaptureError) in try folder(group) }) {
        for name in names { try folder.remove(name, Self.writing) }
        try folder.sync(Self.writing, ifSupported: true)
      }
      for name in names { try incoming.remove(name, Self.writing) }
    }
    try sync()
  }

  /// Lets another daemon have the folder.
  func unlock() { lock.unlock() }

  /// What `body` returns. Nil when what it looks for is not there.
  private func ifThere<R>(_ body: () throws(CaptureError) -> R) throws(CaptureError) -> R? {
    do throws(CaptureError) { return try body() } catch {
      guard error.errorNumber == ENOENT else { throw error }
      return nil
    }
  }

  /// The folder of a file has the first two digits of its name, so that no folder gets too many files.
  private static func group(of name: String) -> String { String(name.prefix(2)) }

  private func folder(_ group: String, makes: Bool = false) throws(CaptureError) -> Descriptor {
    if makes, try contents.makeFolder(group, Self.writing) { try contents.sync(Self.writing, ifSupported: true) }
    return try contents.open(group, O_RDONLY | O_DIRECTORY, Self.reading)
  }
}

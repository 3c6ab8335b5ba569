internal import CaptureCore
internal import Glibc
internal import SystemFiles

/// The files of assets. All methods block.
///
/// A new file is written to the folder `incoming` and, when the database has its row, moves to a folder of `contents`.
/// So a daemon that starts need only look at `incoming`: what has a row there moves on, and all else was never
/// acknowledged and goes. A file is in one of the folders for as long as it has a row.
final class ContentFolder: Sendable {
  private static let writing = "A file of the photo library cannot be written"
  static let reading = "A file of the photo library cannot be read"

  private let lock: FolderLock
  private let incoming: Descriptor
  private let contents: Descriptor

  /// Opens the folder of the library, makes what is missing in it, and keeps other daemons out.
  ///
  /// - Throws: `processingFailed`, also when another daemon uses the folder.
  init(path: String) throws(CaptureError) {
    let action = "The photo library \(path) cannot be used"
    Descriptor.makeFolders(on: path)
    let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY, action)
    lock = try FolderLock(of: folder, "the photo library", path, action)
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

  /// Moves a new file, whose row is on the storage, to its place. A file that the system does not move stays where it
  /// can be read, and moves when the daemon starts again.
  func place(_ name: String) {
    guard let folder = try? folder(of: name, makes: true) else { return }
    try? incoming.rename(name, to: name, in: folder, Self.writing)
  }

  /// The names of the files that have not moved.
  func unplaced() -> [String] { incoming.names().names.filter { $0 != "." && $0 != ".." } }

  /// Opens a file for reading.
  ///
  /// - Throws: `processingFailed` when it is not there.
  func open(_ name: String) throws(CaptureError) -> Descriptor {
    if let folder = try? folder(of: name), let file = try? folder.open(name, O_RDONLY, Self.reading) { return file }
    return try incoming.open(name, O_RDONLY, Self.reading)
  }

  /// Removes a file that has no row any more.
  func remove(_ name: String) throws(CaptureError) {
    if let folder = try? folder(of: name) { try folder.remove(name, Self.writing) }
    try incoming.remove(name, Self.writing)
  }

  /// Lets another daemon have the folder.
  func unlock() { lock.unlock() }

  /// The folder of a file has the first two digits of its name, so that no folder gets too many files.
  private func folder(of name: String, makes: Bool = false) throws(CaptureError) -> Descriptor {
    let group = String(name.prefix(2))
    if makes { _ = try contents.makeFolder(group, Self.writing) }
    return try contents.open(group, O_RDONLY | O_DIRECTORY, Self.reading)
  }
}

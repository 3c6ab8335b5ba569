internal import CaptureCore
internal import Glibc
internal import SystemFiles
internal import VideoCoding

/// The folder of recordings on the disk. All methods block.
///
/// Each name on the way to a file is opened by itself and must not be a symbolic link, so that no path leads out of the
/// folder. The folder itself may be reached by a link.
final class RecordingFolder: Sendable {
  /// The absolute path of the folder, without a slash at its end.
  let path: String
  /// The daemon's own folder in it, which has the records.
  let records: RecordFiles
  private let folder: Descriptor

  /// Makes the folder if it does not exist, and locks it.
  ///
  /// - Throws: `processingFailed` when the folder cannot be made or opened, or when another daemon uses it.
  init(path: String) throws(CaptureError) {
    let trimmed = String(path.reversed().drop { $0 == "/" }.reversed())
    let built = Descriptor.makeFolders(on: trimmed)
    let action = "The folder of recordings \(path) cannot be used"
    folder = try Descriptor.open(built, Self.asFolder, action)
    guard let absolute = realpath(built, nil) else { throw .system(action) }
    self.path = String(cString: absolute)
    free(absolute)
    _ = try folder.makeFolder(RecordFiles.name, action)
    let own = try folder.open(RecordFiles.name, Self.asFolder, action)
    try folder.sync(action, ifSupported: true)
    records = try RecordFiles(own, in: self.path)
  }

  /// How large the file system is, and how much of it is free. Nil when the system does not tell.
  var space: DiskSpace? { folder.space }

  private static let asFolder = O_RDONLY | O_DIRECTORY
  /// How sentences begin about a file that the system does not let the store look at, or read.
  static let looking = "A file of the recordings cannot be looked at"
  static let reading = "The file of a recording cannot be read"

  /// The name of the file in its own folder.
  private func last(_ name: RecordingFileName) -> String { name.components.last! }

  /// Opens the folder of a file.
  ///
  /// - Parameter creates: whether folders on the way are made that are missing.
  /// - Throws: `invalidArgument` when a name on the way is no folder; otherwise the error of the system.
  func parent(of name: RecordingFileName, creates: Bool = false) throws(CaptureError) -> Descriptor {
    let action = "The folder of the recording \(name.path) cannot be opened"
    var parent = try folder.open(".", Self.asFolder, action)
    for part in name.components.dropLast() {
      if creates, try parent.makeFolder(part, action) { try parent.sync(action, ifSupported: true) }
      do throws(CaptureError) { parent = try parent.open(part, Self.asFolder, action) } catch {
        guard error.errorNumber == ELOOP || error.errorNumber == ENOTDIR else { throw error }
        throw CaptureError(
          .invalidArgument, "In the folder of recordings, \(part) of \(name.path) is not a folder; name another file.",
          metadata: ["file": name.path], field: "file")
      }
    }
    return parent
  }

  /// Opens a regular file.
  ///
  /// - Throws: `processingFailed` with the error of the system, which is `ENOENT` for a file that is not there, and
  ///   `EINVAL` for something else than a regular file.
  func open(_ name: RecordingFileName, writes: Bool = false) throws(CaptureError) -> Descriptor {
    let action = "The file of the recording \(name.path) cannot be opened"
    let parent = try parent(of: name)
    // A pipe in the place of the file does not hold the thread.
    let file = try parent.open(last(name), (writes ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY, action)
    guard try file.status(Self.looking).isRegularFile else { throw .system(action, EINVAL) }
    return file
  }

  /// Whether there is a file of this name, or anything else. Nil when the system does not tell.
  func has(_ name: RecordingFileName) -> Bool? {
    do throws(CaptureError) {
      _ = try parent(of: name).status(of: last(name), Self.looking)
      return true
    } catch {
      return error.errorNumber == ENOENT ? false : nil
    }
  }

  /// Puts the file's name on the storage, unless somebody removed its folder. Whoever writes the file syncs the file.
  func sync(_ name: RecordingFileName) throws(CaptureError) {
    do throws(CaptureError) {
      try parent(of: name).sync("The file of the recording \(name.path) cannot be saved", ifSupported: true)
    } catch {
      if error.errorNumber != ENOENT { throw error }
    }
  }

  /// Replaces a file by the draft of its recording. A file that somebody removed is not made again.
  func replace(_ name: RecordingFileName, byDraftOf id: String) throws(CaptureError) {
    let action = "The file of the recording \(name.path) cannot be replaced"
    guard has(name) == true else { throw .system(action, ENOENT) }
    try records.moveDraft(of: id, to: try parent(of: name), last(name), action)
  }

  /// Removes a file, if it is there, and the folders that are empty then.
  func remove(_ name: RecordingFileName) throws(CaptureError) {
    let action = "The file of the recording \(name.path) cannot be deleted"
    do throws(CaptureError) {
      let parent = try parent(of: name)
      try parent.remove(last(name), action)
      try parent.sync(action, ifSupported: true)
    } catch {
      // Somebody removed the whole folder.
      if error.errorNumber != ENOENT { throw error }
    }
    removeEmptyFolders(of: name)
  }

  /// Removes the folders on the way to a file that are empty.
  func removeEmptyFolders(of name: RecordingFileName) {
    var names = name.components
    while names.count > 1 {
      names.removeLast()
      let folder = RecordingFileName(trusted: names)
      guard let above = try? parent(of: folder), above.removeFolder(last(folder)) else { return }
    }
  }
}

internal import CaptureCore
internal import Glibc

/// The place of a file that is about to be made: its open folder, and its name in it.
///
/// No symbolic link on the way is followed, so a link that somebody puts into the folder of recordings leads nowhere,
/// also when it comes after the store has looked. The path of the folder of recordings itself has no links, because the
/// store has resolved them.
struct FilePlace: ~Copyable {
  private let path: String
  private let folder: Descriptor
  private let name: String

  /// Opens the folder of a file.
  ///
  /// - Throws: `processingFailed` with the error of the system, which is `ELOOP` or `ENOTDIR` for a link on the way.
  init(_ path: String) throws(CaptureError) {
    let names = path.split(separator: "/").map(String.init)
    // 0o10000000 is `O_PATH`, which needs no right to list a folder; Swift does not import the macro.
    let flags = 0o10000000 | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    var folder = try Descriptor(open(path.hasPrefix("/") ? "/" : ".", flags), Self.action)
    for name in names.dropLast() { folder = try Descriptor(openat(folder.number, name, flags), Self.action) }
    self.path = path
    self.folder = folder
    name = names.last ?? ""
  }

  private static let action = "The file of the recording cannot be made"

  /// Makes the file, and returns a descriptor for writing.
  ///
  /// - Throws: `processingFailed` with the error of the system, also when there is a file or a link of that name.
  borrowing func make() throws(CaptureError) -> Int32 {
    let descriptor = openat(folder.number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      var error = CaptureError.system(Self.action)
      error.metadata["file"] = path
      throw error
    }
    return descriptor
  }

  /// Removes the file.
  borrowing func remove() { unlinkat(folder.number, name, 0) }
}

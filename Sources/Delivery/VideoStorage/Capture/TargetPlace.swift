internal import CDirectIO
internal import CaptureCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The place that a movie gets: its open folder, and its name in it. No symbolic link on the way is followed. The
/// methods block.
struct TargetPlace {
  private static let action = "The movie cannot leave the video storage"
  private let folder: PoolFile
  private let name: String

  /// Opens the folder of a file.
  ///
  /// - Parameter path: an absolute path.
  init(_ path: String) throws(CaptureError) {
    let names = path.split(separator: "/").map(String.init)
    var folder = try PoolFile(descriptor(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), Self.action)
    for name in names.dropLast() {
      folder = try PoolFile(cdirectio_open_folder(folder.number, name), Self.action)
    }
    // A folder that may only be passed through cannot be synced.
    self.folder = try PoolFile(descriptor(openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), Self.action)
    name = names.last ?? ""
  }

  /// The size of the file at the place; nil when there is none.
  var size: UInt64? { size(of: name) }

  func size(of name: String) -> UInt64? {
    var status = stat()
    return fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? UInt64(max(0, status.st_size)) : nil
  }

  /// Opens a draft beside the place, or makes it.
  func openDraft(_ name: String) throws(CaptureError) -> PoolFile {
    try PoolFile(
      descriptor(openat(folder.number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)), Self.action)
  }

  /// Gives the draft its place.
  ///
  /// - Throws: `processingFailed` with `EEXIST` when there is a file already, which stays.
  func fill(byDraft draft: String) throws(CaptureError) {
    let result = cdirectio_rename(folder.number, draft, name)
    guard result == 0 else { throw .system(Self.action, -result) }
    try folder.sync(Self.action)
  }

  func remove(draft: String) { unlinkat(folder.number, draft, 0) }
}

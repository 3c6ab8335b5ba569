internal import CDirectIO
internal import CaptureCore
internal import Glibc

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

  /// Checks that there is no file at the place.
  ///
  /// - Throws: `processingFailed` with `EEXIST`.
  func checkIsFree() throws(CaptureError) { if size != nil { throw .system(Self.action, EEXIST) } }

  /// Opens a draft beside the place, or makes it. Its name is on the disk then.
  func openDraft(_ name: String) throws(CaptureError) -> PoolFile {
    let draft = try PoolFile(
      descriptor(openat(folder.number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)), Self.action)
    try sync()
    return draft
  }

  /// Gives the draft its place.
  ///
  /// - Throws: `processingFailed` with `EEXIST` when there is a file already, which stays.
  func fill(byDraft draft: String) throws(CaptureError) {
    if isSame(draft) {
      // A crash came between the two steps of the way without a rename.
      remove(draft: draft)
    } else {
      let result = cdirectio_rename(folder.number, draft, name)
      guard result == 0 else { throw .system(Self.action, -result) }
    }
    try sync()
  }

  /// Waits until the names in the folder are on the disk.
  func sync() throws(CaptureError) { try folder.sync(Self.action) }

  /// Whether a draft is the file at the place by another name.
  private func isSame(_ draft: String) -> Bool {
    var (one, other) = (stat(), stat())
    guard fstatat(folder.number, draft, &one, AT_SYMLINK_NOFOLLOW) == 0,
      fstatat(folder.number, name, &other, AT_SYMLINK_NOFOLLOW) == 0
    else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  /// Whether the file at the place has the bytes of a unit from an offset to its end.
  func hasFile(thatEndsWith unit: PoolFile, from offset: UInt64) throws(CaptureError) -> Bool {
    let file = try PoolFile(descriptor(openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)), Self.action)
    let (ours, theirs) = (AlignedBytes(count: 1 << 20), AlignedBytes(count: 1 << 20))
    var done: UInt64 = 0
    while true {
      let count = try file.read(into: theirs.bytes, at: offset + done, Self.action)
      if count == 0 { return true }
      let found = try unit.read(into: ours.bytes, at: done, Self.action)
      guard found >= count, ours.bytes[..<count].elementsEqual(theirs.bytes[..<count]) else { return false }
      done += UInt64(count)
    }
  }

  func remove(draft: String) { unlinkat(folder.number, draft, 0) }
}

internal import CDirectIO
internal import CaptureCore
internal import Glibc
internal import SystemFiles

/// The place that a movie gets: its open folder, and its name in it. No symbolic link on the way is followed. The
/// methods block.
struct TargetPlace {
  private static let action = "The movie cannot leave the video storage"
  private let folder: Descriptor
  private let name: String

  /// Opens the folder of a file.
  ///
  /// - Parameter path: an absolute path.
  init(_ path: String) throws(CaptureError) {
    let place = try FilePlace(path, Self.action)
    // A folder that may only be passed through cannot be synced.
    folder = try place.folder.open(".", O_RDONLY | O_DIRECTORY, Self.action)
    name = place.name
  }

  /// The size of the file at the place; nil when there is none.
  var size: UInt64? { size(of: name) }

  func size(of name: String) -> UInt64? { try? folder.status(of: name, Self.action).size }

  /// Checks that there is no file at the place.
  ///
  /// - Throws: `processingFailed` with `EEXIST`.
  func checkIsFree() throws(CaptureError) { if size != nil { throw .system(Self.action, EEXIST) } }

  /// Opens a draft beside the place, or makes it. Its name is on the disk then.
  func openDraft(_ name: String) throws(CaptureError) -> Descriptor {
    let draft = try folder.open(name, O_RDWR | O_CREAT, Self.action)
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
    guard let one = try? folder.status(of: draft, Self.action), let other = try? folder.status(of: name, Self.action)
    else { return false }
    return one.isSameFile(as: other)
  }

  /// Whether the file at the place has the bytes of a unit from an offset to its end.
  func hasFile(thatEndsWith unit: Descriptor, from offset: UInt64) throws(CaptureError) -> Bool {
    let file = try folder.open(name, O_RDONLY, Self.action)
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

  func remove(draft: String) { folder.remove(draft) }
}

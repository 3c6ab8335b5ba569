internal import CaptureCore
internal import Glibc
internal import SystemFiles

/// The folder of the units on the disk, which only one daemon uses. All methods block.
///
/// A unit is a file of a fixed size whose blocks were all written once. Units are numbered; captures take those with
/// the lowest numbers, and new ones get the next number. A unit that is being made has another name until it is whole.
final class PoolFolder: Sendable {
  /// The name of the folder in the folder that the operator names.
  static let name = ".firstlight-video-storage"
  /// The name of a unit that is being made, and that of a capacity that is being saved.
  static let (draft, capacityDraft) = ("making", "capacity.new")

  let unitSize: Int
  let ledger: CaptureLedger
  /// The absolute path of the folder, for messages.
  let path: String
  let folder: Descriptor
  private let lock: FolderLock

  /// Whether there is a folder already.
  static func exists(in parent: String) -> Bool { access("\(parent)/\(name)", F_OK) == 0 }

  /// Makes the folder and its parents if they do not exist, locks it, and removes what was left half made.
  ///
  /// - Throws: `processingFailed` when the folder cannot be used, or when another daemon uses it.
  init(in parent: String, unitSize: Int) throws(CaptureError) {
    path = "\(parent)/\(Self.name)"
    self.unitSize = unitSize
    let action = "The folder of the video storage \(path) cannot be used"
    Descriptor.makeFolders(on: path)
    folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY, action)
    lock = try FolderLock(of: folder, "the video storage", path, action)
    for draft in [Self.draft, Self.capacityDraft] { folder.remove(draft) }
    ledger = try CaptureLedger(in: folder)
    try folder.sync(action)
  }

  /// The number of bytes of the file system that are free for processes without privileges.
  var freeSpace: UInt64 { folder.space?.free ?? 0 }
}

extension CaptureError {
  static func full(_ action: String, _ free: UInt64) -> CaptureError {
    CaptureError(
      .videoStorageFull, "\(action): the disk has \(free) free bytes; free some space, or ask for less.",
      metadata: ["free_bytes": "\(free)"])
  }
}

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

  /// The share of units of so many bytes. One unit more stays free for the move of a movie, whose blocks may have to be
  /// copied.
  func share(of bytes: UInt64) -> DiskShare { DiskShare(needed: bytes, leftToOthers: UInt64(unitSize)) }
}

extension CaptureError {
  static func full(_ action: String, _ free: UInt64) -> CaptureError {
    CaptureError(
      .videoStorageFull, "\(action): the disk has \(free) free bytes; free some space, or ask for less.",
      metadata: ["free_bytes": "\(free)"])
  }
}

extension PoolFolder {
  /// The number of bytes that the operator wants; 0 when nobody has said.
  func capacity() throws(CaptureError) -> Int64 {
    let action = "The capacity of the video storage cannot be read"
    let text: String
    do throws(CaptureError) {
      let bytes = try folder.open("capacity", O_RDONLY, action).read(at: 0, count: 4096, action)
      text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    } catch {
      if error.errorNumber == ENOENT { return 0 }
      throw error
    }
    guard let capacity = Int64(text), capacity >= 0 else {
      throw CaptureError(
        .processingFailed, "\(path)/capacity is not a number of bytes; delete the file, and set the capacity again.")
    }
    return capacity
  }

  /// Remembers the capacity, either completely or not at all.
  func save(capacity: Int64) throws(CaptureError) {
    let action = "The capacity of the video storage cannot be saved"
    try folder.replace("capacity", with: Array("\(capacity)\n".utf8), by: Self.capacityDraft, action)
    try folder.sync(action)
  }
}

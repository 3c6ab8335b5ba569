internal import CDirectIO
internal import CaptureCore
internal import Glibc

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
  let folder: PoolFile
  private let lock: Lock

  /// Whether there is a folder already.
  static func exists(in parent: String) -> Bool { access("\(parent)/\(name)", F_OK) == 0 }

  /// Makes the folder and its parents if they do not exist, locks it, and removes what was left half made.
  ///
  /// - Throws: `processingFailed` when the folder cannot be used, or when another daemon uses it.
  init(in parent: String, unitSize: Int) throws(CaptureError) {
    path = "\(parent)/\(Self.name)"
    self.unitSize = unitSize
    let action = "The folder of the video storage \(path) cannot be used"
    var built = path.hasPrefix("/") ? "" : "."
    for name in path.split(separator: "/") {
      built += "/" + name
      mkdir(built, 0o755)
    }
    folder = try PoolFile(descriptor(openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)), action)
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    lock = Lock(try PoolFile(descriptor(openat(folder.number, "lock", flags, 0o644)), action))
    guard lock.take() else {
      guard errno == EWOULDBLOCK else { throw .system(action) }
      throw CaptureError(
        .processingFailed, "Another daemon already uses the video storage \(path); give each its own folder.",
        metadata: ["folder": path])
    }
    for draft in [Self.draft, Self.capacityDraft] { unlinkat(folder.number, draft, 0) }
    ledger = try CaptureLedger(in: folder)
    try folder.sync(action)
  }

  /// The number of bytes of the file system that are free for processes without privileges.
  var freeSpace: UInt64 {
    var facts = statvfs()
    return fstatvfs(folder.number, &facts) == 0 ? UInt64(facts.f_bavail) * UInt64(facts.f_frsize) : 0
  }
}

/// The lock of the folder, which is free again when this object goes.
private final class Lock: Sendable {
  private let file: PoolFile

  init(_ file: PoolFile) { self.file = file }

  /// Returns false and leaves errno when that fails: `EWOULDBLOCK` when another daemon has the lock.
  func take() -> Bool { flock(file.number, LOCK_EX | LOCK_NB) == 0 }

  /// Closing the file would not be enough: a process that another thread has just started has a copy of the descriptor
  /// until it begins its program, and with it the lock.
  deinit { flock(file.number, LOCK_UN) }
}

extension CaptureError {
  static func full(_ action: String, _ free: UInt64) -> CaptureError {
    CaptureError(
      .videoStorageFull, "\(action): the disk has \(free) free bytes; free some space, or ask for less.",
      metadata: ["free_bytes": "\(free)"])
  }
}

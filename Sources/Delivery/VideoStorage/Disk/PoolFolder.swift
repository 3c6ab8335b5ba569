internal import CDirectIO
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

extension PoolFolder {
  private static let prefix = "unit-"

  private static func name(of unit: UInt64) -> String {
    let digits = String(unit)
    return prefix + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
  }

  /// The numbers of all units, in order.
  func units() throws(CaptureError) -> [UInt64] {
    let action = "The video storage \(path) cannot be listed"
    let (names, error) = folder.names()
    if let error { throw .system(action, error) }
    let units = names.compactMap { name in
      name.hasPrefix(Self.prefix) ? UInt64(name.dropFirst(Self.prefix.count)) : nil
    }
    return units.sorted()
  }

  /// Lets the numbers of all units follow each other, as a capture needs them. A unit that was removed by hand or by a
  /// repair leaves a gap.
  func closeGaps() throws(CaptureError) -> [UInt64] {
    let action = "The units of the video storage cannot be put in order"
    let units = try units()
    guard let first = units.first else { return [] }
    let wanted = Array(first..<first + UInt64(units.count))
    if units == wanted { return units }
    for (unit, number) in zip(units, wanted) where unit != number {
      try folder.rename(Self.name(of: unit), to: Self.name(of: number), action)
    }
    try folder.sync(action)
    return wanted
  }

  /// Whether a unit has its size and all its blocks. Others come from a daemon with another size of units.
  func isWhole(_ unit: UInt64) -> Bool {
    guard let status = try? folder.status(of: Self.name(of: unit), "") else { return false }
    return status.size == UInt64(unitSize) && status.allocated >= UInt64(unitSize)
  }

  /// Makes a unit. Each of its blocks is written, because a block that was only allocated would have to be recorded as
  /// written later, in the journal of the file system, for which writes wait.
  ///
  /// - Throws: `videoStorageFull` when the disk has no room for it; otherwise the error of the system.
  func make(_ unit: UInt64) throws(CaptureError) {
    let action = "The video storage cannot be made larger"
    guard share(of: UInt64(unitSize)).fits(freeSpace) else { throw .full(action, freeSpace) }
    folder.remove(Self.draft)
    do throws(CaptureError) {
      let file = try Descriptor(orError: cdirectio_open(folder.number, Self.draft, true, false), action)
      let result = cdirectio_allocate(file.number, UInt64(unitSize))
      guard result == 0 else { throw .system(action, -result) }
      let zeros = AlignedBytes(count: min(1 << 20, unitSize))
      for offset in stride(from: 0, to: unitSize, by: zeros.bytes.count) {
        let part = UnsafeRawBufferPointer(rebasing: zeros.bytes[..<min(zeros.bytes.count, unitSize - offset)])
        try file.write(part, at: UInt64(offset), action)
      }
      try file.sync(action)
      try folder.rename(Self.draft, to: Self.name(of: unit), action)
      try folder.sync(action)
    } catch {
      folder.remove(Self.draft)
      throw error.errorNumber == ENOSPC || error.errorNumber == EDQUOT ? .full(action, freeSpace) : error
    }
  }

  func remove(_ unit: UInt64) throws(CaptureError) {
    let action = "A part of the video storage cannot be removed"
    try folder.remove(Self.name(of: unit), action)
    try folder.sync(action)
  }

  /// Opens a unit for reading and writing past the page cache.
  func open(_ unit: UInt64) throws(CaptureError) -> Descriptor {
    try Descriptor(
      orError: cdirectio_open(folder.number, Self.name(of: unit), false, false),
      "A part of the video storage cannot be opened")
  }
}

/// Memory for direct I/O, which takes only whole blocks at addresses of whole blocks. The memory is full of zeros at
/// first.
final class AlignedBytes: @unchecked Sendable {
  // Unchecked, because the owner sees to it that one thread uses the memory at a time.
  /// The bytes of a block: all disks take blocks of this size.
  static let block = 4096

  /// The bytes of a huge page of x86-64, and of AArch64 with pages of 4 KiB.
  private static let hugePage = 2 << 20

  let bytes: UnsafeMutableRawBufferPointer

  /// - Parameter count: the number of bytes, a multiple of ``block``.
  init(count: Int) {
    let isLarge = count >= Self.hugePage
    bytes = .allocate(byteCount: count, alignment: isLarge ? Self.hugePage : Self.block)
    // A disk takes memory in one piece with less work than each small page of it. Where there are no huge pages, the
    // small ones do.
    if isLarge { madvise(bytes.baseAddress, count, MADV_HUGEPAGE) }
    // The pages come now, and not while a capture writes.
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { bytes.deallocate() }

  /// Rounds a number of bytes up to whole blocks.
  static func whole(_ count: Int) -> Int { (count + block - 1) & ~(block - 1) }
}

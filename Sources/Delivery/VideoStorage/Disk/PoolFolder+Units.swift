internal import CDirectIO
internal import CaptureCore
internal import Glibc
internal import SystemFiles

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

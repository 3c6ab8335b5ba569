internal import CDirectIO
internal import CaptureCore
internal import Glibc

extension PoolFolder {
  private static let prefix = "unit-"

  private static func name(of unit: UInt64) -> String {
    let digits = String(unit)
    return prefix + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
  }

  /// The numbers of all units, in order.
  func units() throws(CaptureError) -> [UInt64] {
    let action = "The video storage \(path) cannot be listed"
    let own = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = fdopendir(own) else { throw .system(action) }
    defer { closedir(stream) }
    var units: [UInt64] = []
    while true {
      // Only this number tells an error from the end of the list.
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw .system(action) }
        break
      }
      // An entry is only as long as its name, so the name is read at its address.
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name)!
      let name = String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
      if name.hasPrefix(Self.prefix), let number = UInt64(name.dropFirst(Self.prefix.count)) { units.append(number) }
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
      let (old, new) = (Self.name(of: unit), Self.name(of: number))
      guard renameat(folder.number, old, folder.number, new) == 0 else { throw .system(action) }
    }
    try folder.sync(action)
    return wanted
  }

  /// Whether a unit has its size and all its blocks. Others come from a daemon with another size of units.
  func isWhole(_ unit: UInt64) -> Bool {
    var status = stat()
    guard fstatat(folder.number, Self.name(of: unit), &status, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
    return status.st_size == unitSize && status.st_blocks * 512 >= unitSize
  }

  /// Makes a unit. Each of its blocks is written, because a block that was only allocated would have to be recorded as
  /// written later, in the journal of the file system, for which writes wait.
  ///
  /// - Throws: `videoStorageFull` when the disk has no room for it; otherwise the error of the system.
  func make(_ unit: UInt64) throws(CaptureError) {
    let action = "The video storage cannot be made larger"
    // A movie whose blocks cannot be shared needs room for a copy of one unit.
    guard freeSpace >= 2 * UInt64(unitSize) else { throw .full(action, freeSpace) }
    unlinkat(folder.number, Self.draft, 0)
    do throws(CaptureError) {
      let file = try PoolFile(cdirectio_open(folder.number, Self.draft, true, false), action)
      let result = cdirectio_allocate(file.number, UInt64(unitSize))
      guard result == 0 else { throw .system(action, -result) }
      let zeros = AlignedBytes(count: min(1 << 20, unitSize))
      for offset in stride(from: 0, to: unitSize, by: zeros.bytes.count) {
        let part = UnsafeRawBufferPointer(rebasing: zeros.bytes[..<min(zeros.bytes.count, unitSize - offset)])
        try file.write(part, at: UInt64(offset), action)
      }
      try file.sync(action)
      guard renameat(folder.number, Self.draft, folder.number, Self.name(of: unit)) == 0 else { throw .system(action) }
      try folder.sync(action)
    } catch {
      unlinkat(folder.number, Self.draft, 0)
      throw error.errorNumber == ENOSPC || error.errorNumber == EDQUOT ? .full(action, freeSpace) : error
    }
  }

  func remove(_ unit: UInt64) throws(CaptureError) {
    let action = "A part of the video storage cannot be removed"
    if unlinkat(folder.number, Self.name(of: unit), 0) != 0, errno != ENOENT { throw .system(action) }
    try folder.sync(action)
  }

  /// Opens a unit for reading and writing past the page cache.
  func open(_ unit: UInt64) throws(CaptureError) -> PoolFile {
    try PoolFile(
      cdirectio_open(folder.number, Self.name(of: unit), false, false), "A part of the video storage cannot be opened")
  }
}

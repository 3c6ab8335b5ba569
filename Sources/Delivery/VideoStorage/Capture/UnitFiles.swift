internal import CaptureCore
internal import Locking
internal import SystemFiles

/// The files of the units that a capture fills, in order. Thread-safe.
///
/// While the capture fills one unit, the storage's thread opens the next one, because opening a file may wait for the
/// disk. The capture never has more files open than these.
final class UnitFiles: Sendable {
  private let folder: PoolFolder
  private let units: [UInt64]
  private let thread: DiskThread
  /// The index of the unit that the capture fills, and the files from there on.
  private let opened = Locked<(current: Int, files: [Int: Descriptor])>((0, [:]))

  /// Opens the first two files.
  init(_ units: [UInt64], in folder: PoolFolder, thread: DiskThread) throws(CaptureError) {
    self.folder = folder
    self.units = units
    self.thread = thread
    for index in units.indices.prefix(2) { _ = try open(index) }
  }

  /// The bytes of all units.
  var capacity: UInt64 { UInt64(units.count) * UInt64(folder.unitSize) }
  var unitSize: Int { folder.unitSize }

  /// The file of a unit. Those of the units before it are closed here. Blocks only when the file is not open yet.
  func file(_ index: Int) throws(CaptureError) -> Descriptor {
    let (file, isFirstUse) = opened.withLock { opened in
      let earlier = opened.files.keys.filter { $0 < index }
      for index in earlier { opened.files[index] = nil }
      opened.current = index
      return (opened.files[index], !earlier.isEmpty)
    }
    if isFirstUse, index + 1 < units.count { thread.enqueue { [self] in _ = try? open(index + 1) } }
    return if let file { file } else { try open(index) }
  }

  private func open(_ index: Int) throws(CaptureError) -> Descriptor {
    let file = try folder.open(units[index])
    return opened.withLock { opened in
      // The capture may have opened this unit itself, and may be past it, because the storage's thread was late.
      if let present = opened.files[index] { return present }
      if index >= opened.current { opened.files[index] = file }
      return file
    }
  }
}

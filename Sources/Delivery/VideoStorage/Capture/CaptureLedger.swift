internal import CDirectIO
internal import CaptureCore
internal import Glibc
internal import Locking
internal import SystemFiles

/// The file that tells which capture is in the storage, and how much of it is on the disk. The methods block.
///
/// Two blocks of the file take turns. A write that a power failure breaks off costs only itself, and no write changes
/// anything of the file but its bytes.
final class CaptureLedger: Sendable {
  private struct Turn {
    var sequence: UInt64
    let memory = AlignedBytes(count: AlignedBytes.block)
  }

  private static let action = "The ledger of the video storage cannot be used"
  private let file: Descriptor
  private let turn: Locked<Turn>
  /// The capture that a daemon left here; nil for none.
  let found: CaptureEntry?

  /// Opens the ledger of a folder, or makes it.
  init(in folder: Descriptor) throws(CaptureError) {
    let made = try folder.open("ledger", O_RDWR | O_CREAT, Self.action)
    let size = 2 * AlignedBytes.block
    if try made.status(Self.action).size != UInt64(size) {
      let zeros = AlignedBytes(count: size)
      try made.write(UnsafeRawBufferPointer(zeros.bytes), at: 0, Self.action)
      try made.sync(Self.action)
    }
    file = try Descriptor(orError: cdirectio_open(folder.number, "ledger", false, true), Self.action)
    let memory = AlignedBytes(count: size)
    guard try file.read(into: memory.bytes, at: 0, Self.action) == size else { throw .system(Self.action, EIO) }
    let entries = [0, 1].compactMap { slot in
      CaptureEntry.decode(
        UnsafeRawBufferPointer(rebasing: memory.bytes[slot * AlignedBytes.block..<(slot + 1) * AlignedBytes.block]))
    }
    let newest = entries.max { $0.sequence < $1.sequence }
    turn = Locked(Turn(sequence: newest?.sequence ?? 0))
    found = newest?.entry
  }

  /// Puts an entry on the storage; nil says that there is no capture.
  func write(_ entry: CaptureEntry?) throws(CaptureError) {
    try turn.withLock { turn throws(CaptureError) in
      let sequence = turn.sequence + 1
      CaptureEntry.encode(entry, sequence: sequence, to: turn.memory.bytes)
      let offset = sequence % 2 * UInt64(AlignedBytes.block)
      try file.write(UnsafeRawBufferPointer(turn.memory.bytes), at: offset, Self.action)
      // After an error, the next write takes the same block again, and the other one stays whole.
      turn.sequence = sequence
    }
  }
}

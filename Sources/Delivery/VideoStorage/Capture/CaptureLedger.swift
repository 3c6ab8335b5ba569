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

/// What must be known of a capture so that its movie outlives the daemon.
struct CaptureEntry: Hashable, Sendable {
  /// The most bytes of ``target``, so that an entry fits into a block.
  static let longestTarget = 3800

  /// A random number that tells this capture from others.
  var id: UInt64
  /// The absolute path that the movie gets when it is finished.
  var target: String
  /// The unit with the first byte. The following units have the rest.
  var firstUnit: UInt64
  /// The number of bytes of the movie that are on the storage.
  var length: UInt64 = 0

  /// The units that have bytes of the movie.
  func units(of size: UInt64) -> Range<UInt64> { firstUnit..<firstUnit + (length + size - 1) / size }

  /// The name of the file in the target's folder to which the movie moves before it gets its own name.
  var draftName: String { ".firstlight-\(String(id, radix: 16)).part" }
}

extension CaptureEntry {
  private static let magic: UInt64 = 0x4656_5354_4f52_4531
  private static let head = 8 * 8

  /// Writes an entry, or that there is no capture, to a block.
  ///
  /// - Parameter sequence: a number that is greater than that of all earlier entries.
  static func encode(_ entry: CaptureEntry?, sequence: UInt64, to block: UnsafeMutableRawBufferPointer) {
    _ = block.initializeMemory(as: UInt8.self, repeating: 0)
    let path = Array((entry?.target ?? "").utf8)
    let fields = [
      magic, 0, sequence, entry == nil ? 0 : 1, entry?.id ?? 0, entry?.firstUnit ?? 0, entry?.length ?? 0,
      UInt64(path.count),
    ]
    for (index, field) in fields.enumerated() {
      block.storeBytes(of: field.littleEndian, toByteOffset: 8 * index, as: UInt64.self)
    }
    UnsafeMutableRawBufferPointer(rebasing: block[head...]).copyBytes(from: path)
    block.storeBytes(of: checksum(of: UnsafeRawBufferPointer(block)).littleEndian, toByteOffset: 8, as: UInt64.self)
  }

  /// Decodes a block of the ledger. Nil when the block was never written, or not completely.
  static func decode(_ block: UnsafeRawBufferPointer) -> (sequence: UInt64, entry: CaptureEntry?)? {
    func field(_ index: Int) -> UInt64 { UInt64(littleEndian: block.load(fromByteOffset: 8 * index, as: UInt64.self)) }
    let pathCount = field(7)
    guard field(0) == magic, field(1) == checksum(of: block), pathCount <= UInt64(longestTarget) else { return nil }
    guard field(3) != 0 else { return (field(2), nil) }
    let target = String(decoding: block[head..<head + Int(pathCount)], as: UTF8.self)
    return (field(2), CaptureEntry(id: field(4), target: target, firstUnit: field(5), length: field(6)))
  }

  /// FNV-1a of all bytes but those of the checksum itself.
  private static func checksum(of block: UnsafeRawBufferPointer) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for (index, byte) in block.enumerated() where !(8..<16).contains(index) {
      sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return sum
  }
}

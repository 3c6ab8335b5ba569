/// Where the bytes of a capture go on their way to the disk: which buffer takes the next ones, and what is written
/// when. A plain value.
///
/// Writes consist of whole blocks and do not cross a multiple of the size of the buffers, so each write lies in one
/// unit. A flush also writes a block that is only partly full. That block stays in its buffer, and is written once more
/// with what follows.
struct WriteWindow: Hashable, Sendable {
  /// A part of a buffer that goes to the disk.
  struct Write: Hashable, Sendable {
    var buffer: Int
    /// The place of the first byte in the movie, a whole number of blocks.
    var offset: UInt64
    /// Whole blocks.
    var count: Int
  }

  let bufferSize: Int
  private var free: [Int]
  private var current: Int?
  /// The place of the current buffer's first byte in the movie.
  private var start: UInt64 = 0
  private var filled = 0

  init(depth: Int, bufferSize: Int) {
    free = Array((0..<depth).reversed())
    self.bufferSize = bufferSize
  }

  /// The number of bytes of the movie so far.
  var size: UInt64 { start + UInt64(filled) }
  /// Whether bytes can only come after a write has ended.
  var isFull: Bool { current == nil && free.isEmpty }
  /// The number of bytes that can come before a write has to end.
  var room: Int {
    let next = current == nil && free.isEmpty ? 0 : capacity - filled
    let others = free.count - (current == nil ? 1 : 0)
    return next + max(0, others) * bufferSize
  }

  /// The bytes of the current buffer up to the next multiple of the size of the buffers.
  private var capacity: Int { bufferSize - Int(start % UInt64(bufferSize)) }

  /// Takes the place of the next bytes, at most `count`. There must be room.
  mutating func take(atMost count: Int) -> (buffer: Int, offset: Int, count: Int) {
    let buffer = current ?? free.removeLast()
    current = buffer
    let taken = min(count, capacity - filled)
    defer { filled += taken }
    return (buffer, filled, taken)
  }

  /// The write of the current buffer when it is full. The next bytes go to another buffer.
  mutating func takeFullBuffer() -> Write? {
    guard let buffer = current, filled == capacity else { return nil }
    let write = Write(buffer: buffer, offset: start, count: filled)
    start += UInt64(filled)
    (current, filled) = (nil, 0)
    return write
  }

  /// The write of the current buffer as it is, with `unused` bytes at its end that have to be 0.
  mutating func takeUnfinishedBuffer() -> (write: Write, unused: Int)? {
    guard let buffer = current, filled > 0 else { return nil }
    let count = AlignedBytes.whole(filled)
    return (Write(buffer: buffer, offset: start, count: count), count - filled)
  }

  /// Goes on after a flush, when all writes have ended: only the partly full block stays in the buffer.
  ///
  /// - Returns: the buffer, and the place of that block in it, which moves to its beginning.
  mutating func keepUnfinishedBlock() -> (buffer: Int, from: Int)? {
    guard let buffer = current else { return nil }
    let whole = filled & ~(AlignedBytes.block - 1)
    start += UInt64(whole)
    filled -= whole
    if filled > 0 { return (buffer, whole) }
    free.append(buffer)
    current = nil
    return nil
  }

  /// Takes back the buffer of a write that has ended.
  mutating func complete(_ buffer: Int) { if buffer != current { free.append(buffer) } }
}

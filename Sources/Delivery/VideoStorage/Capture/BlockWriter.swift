internal import CaptureCore

/// Writes a capture to the units, past the page cache, a bounded number of buffers at the same time. Only one thread at
/// a time uses it.
///
/// No write allocates anything on the disk: the blocks were written before. The files are open, and the buffers are
/// there.
final class BlockWriter {
  private static let action = "The movie cannot be written to the video storage"

  private let units: UnitFiles
  private let queue: any BlockQueue
  private let buffers: [AlignedBytes]
  private var window: WriteWindow
  private var pending = 0
  /// How many bytes of each buffer are being written.
  private var counts: [Int]
  /// The units that have bytes which a flush has yet to sync.
  private var unsynced: [Int: PoolFile] = [:]
  private var failure: CaptureError?

  /// - Parameters:
  ///   - depth: the number of buffers, which is the most writes at once.
  ///   - bufferSize: the size of a buffer, which divides that of a unit.
  init(units: UnitFiles, queue: any BlockQueue, depth: Int, bufferSize: Int) {
    precondition(units.unitSize % bufferSize == 0 && bufferSize % AlignedBytes.block == 0, "writes that cross units")
    self.units = units
    self.queue = queue
    buffers = (0..<depth).map { _ in AlignedBytes(count: bufferSize) }
    counts = Array(repeating: 0, count: depth)
    window = WriteWindow(depth: depth, bufferSize: bufferSize)
  }

  deinit {
    // The kernel reads the buffers until the writes have ended.
    while pending > 0, (try? queue.next(waits: true)) != nil { pending -= 1 }
  }

  /// The number of bytes of the movie so far.
  var size: UInt64 { window.size }
  /// The number of bytes that ``write(_:)`` takes without waiting for the disk.
  var room: Int {
    get throws(CaptureError) {
      while try reap(waits: false) {}
      return window.room
    }
  }

  /// Takes all bytes. Waits for the disk when all buffers are being written.
  ///
  /// - Throws: `videoStorageFull` when the units have no room for all bytes, of which none are taken then; otherwise
  ///   the error of the system, which comes again at each call.
  func write(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
    if let failure { throw failure }
    guard size + UInt64(bytes.count) <= units.capacity else {
      // 28 is ENOSPC.
      throw CaptureError(
        .videoStorageFull, "The movie has taken all video storage; replenish it, and record less.",
        metadata: ["errno": "28"])
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      while window.isFull { _ = try reap(waits: true) }
      let place = window.take(atMost: rest.count)
      let target = buffers[place.buffer].bytes[place.offset..<place.offset + place.count]
      UnsafeMutableRawBufferPointer(rebasing: target).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: rest.prefix(place.count)))
      rest = rest.dropFirst(place.count)
      if let write = window.takeFullBuffer() { try begin(write) }
    }
  }

  /// Waits until all bytes so far are on the disk.
  ///
  /// - Throws: the error of the system, which comes again at each call.
  func flush() throws(CaptureError) {
    if let failure { throw failure }
    if let (write, unused) = window.takeUnfinishedBuffer() {
      let end = buffers[write.buffer].bytes[write.count - unused..<write.count]
      _ = UnsafeMutableRawBufferPointer(rebasing: end).initializeMemory(as: UInt8.self, repeating: 0)
      try begin(write)
    }
    while pending > 0 { _ = try reap(waits: true) }
    if let (buffer, place) = window.keepUnfinishedBlock() {
      let bytes = buffers[buffer].bytes
      UnsafeMutableRawBufferPointer(rebasing: bytes[..<AlignedBytes.block]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[place..<place + AlignedBytes.block]))
    }
    for file in unsynced.values { try remember { () throws(CaptureError) in try file.syncData(Self.action) } }
    unsynced.removeAll(keepingCapacity: true)
  }

  private func begin(_ write: WriteWindow.Write) throws(CaptureError) {
    let (unit, offset) = write.offset.quotientAndRemainder(dividingBy: UInt64(units.unitSize))
    let bytes = UnsafeRawBufferPointer(rebasing: buffers[write.buffer].bytes[..<write.count])
    try remember { () throws(CaptureError) in
      let file = try units.file(Int(unit))
      try queue.begin(bytes, to: file, at: offset, number: write.buffer)
      unsynced[Int(unit)] = file
    }
    counts[write.buffer] = write.count
    pending += 1
  }

  /// Takes the result of a write. Returns false when none has ended.
  private func reap(waits: Bool) throws(CaptureError) -> Bool {
    guard pending > 0 else { return false }
    guard let ended = try remember({ () throws(CaptureError) in try queue.next(waits: waits) }) else { return false }
    pending -= 1
    window.complete(ended.number)
    // Direct writes are whole, unless the disk fails: 5 is EIO.
    if ended.result != counts[ended.number] {
      let error = CaptureError.system(Self.action, ended.result < 0 ? -ended.result : 5)
      failure = failure ?? error
      throw error
    }
    return true
  }

  /// Keeps the error of `body` for later calls.
  private func remember<R>(_ body: () throws(CaptureError) -> R) throws(CaptureError) -> R {
    do throws(CaptureError) { return try body() } catch {
      failure = failure ?? error
      throw error
    }
  }
}

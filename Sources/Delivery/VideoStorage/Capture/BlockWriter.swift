internal import CaptureCore
internal import Locking
internal import SystemFiles

/// Writes a capture to the units, past the page cache, a bounded number of buffers at the same time. Only one thread at
/// a time uses it.
///
/// No write allocates anything on the disk: the blocks were written before. The files are open, and the buffers are
/// there.
final class BlockWriter: @unchecked Sendable {
  // Unchecked, because the caller sees to it that one thread uses it at a time.
  private static let action = "The movie cannot be written to the video storage"
  /// The most units that wait for a sync, whose files stay open.
  private static let mostUnsynced = 4

  /// A write that the queue has.
  private struct Job {
    var file: Descriptor
    var offset: UInt64
    var count: Int
  }

  private let units: UnitFiles
  private let queue: any BlockQueue
  private let memory: AlignedBytes
  /// Parts of ``memory``.
  private let buffers: [UnsafeMutableRawBufferPointer]
  private var window: WriteWindow
  private var pending = 0
  /// What is being written of each buffer.
  private var jobs: [Job?]
  /// The units that have bytes which a flush has yet to sync.
  private var unsynced: [Int: Descriptor] = [:]
  private var failure: CaptureError?

  /// - Parameters:
  ///   - depth: the number of buffers, which is the most writes at once.
  ///   - bufferSize: the size of a buffer, which divides that of a unit.
  init(units: UnitFiles, queue: any BlockQueue, depth: Int, bufferSize: Int) {
    precondition(units.unitSize % bufferSize == 0 && bufferSize % AlignedBytes.block == 0, "writes that cross units")
    self.units = units
    self.queue = queue
    let memory = AlignedBytes(count: depth * bufferSize)
    self.memory = memory
    buffers = (0..<depth).map { index in
      UnsafeMutableRawBufferPointer(rebasing: memory.bytes[index * bufferSize..<(index + 1) * bufferSize])
    }
    jobs = Array(repeating: nil, count: depth)
    window = WriteWindow(depth: depth, bufferSize: bufferSize)
  }

  /// The kernel reads the buffers until the writes have ended.
  deinit { drain() }

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
      let target = buffers[place.buffer][place.offset..<place.offset + place.count]
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
      let end = buffers[write.buffer][write.count - unused..<write.count]
      _ = UnsafeMutableRawBufferPointer(rebasing: end).initializeMemory(as: UInt8.self, repeating: 0)
      try begin(write)
    }
    try sync()
    if let (buffer, place) = window.keepUnfinishedBlock() {
      let bytes = buffers[buffer]
      UnsafeMutableRawBufferPointer(rebasing: bytes[..<AlignedBytes.block]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[place..<place + AlignedBytes.block]))
    }
  }

  /// Waits until no write is under way, whatever becomes of the writes.
  func drain() {
    while pending > 0 {
      let before = pending
      _ = try? reap(waits: true)
      // The queue itself has failed, and gives no more results.
      if pending == before { return }
    }
  }

  /// Waits until what was given to the queue is on the disk.
  private func sync() throws(CaptureError) {
    while pending > 0 { _ = try reap(waits: true) }
    for file in unsynced.values { try remember { () throws(CaptureError) in try file.syncData(Self.action) } }
    unsynced.removeAll(keepingCapacity: true)
  }

  private func begin(_ write: WriteWindow.Write) throws(CaptureError) {
    let (unit, offset) = write.offset.quotientAndRemainder(dividingBy: UInt64(units.unitSize))
    if unsynced[Int(unit)] == nil, unsynced.count == Self.mostUnsynced { try sync() }
    try remember { () throws(CaptureError) in
      let job = Job(file: try units.file(Int(unit)), offset: offset, count: write.count)
      unsynced[Int(unit)] = job.file
      let bytes = UnsafeRawBufferPointer(rebasing: buffers[write.buffer][..<write.count])
      do throws(CaptureError) {
        try queue.begin(bytes, to: job.file, at: offset, number: write.buffer)
      } catch {
        guard error.isTransient else { throw error }
        try job.file.write(bytes, at: offset, Self.action)
        window.complete(write.buffer)
        return
      }
      jobs[write.buffer] = job
      pending += 1
    }
  }

  /// Takes the result of a write. Returns false when none has ended.
  private func reap(waits: Bool) throws(CaptureError) -> Bool {
    guard pending > 0 else { return false }
    guard let ended = try remember({ () throws(CaptureError) in try queue.next(waits: waits) }) else { return false }
    pending -= 1
    window.complete(ended.number)
    guard let job = jobs[ended.number], ended.result != job.count else { return true }
    try remember { () throws(CaptureError) in try complete(job, of: ended.number, after: ended.result) }
    return true
  }

  /// Writes what the system left out of a write: it may take only a part, or nothing for a moment.
  private func complete(_ job: Job, of buffer: Int, after result: Int32) throws(CaptureError) {
    let error = CaptureError.system(Self.action, max(0, -result))
    guard result >= 0 || error.isTransient else { throw error }
    let done = Int(max(0, result)) & ~(AlignedBytes.block - 1)
    let rest = UnsafeRawBufferPointer(rebasing: buffers[buffer][done..<job.count])
    try job.file.write(rest, at: job.offset + UInt64(done), Self.action)
  }

  /// Keeps the error of `body` for later calls.
  private func remember<R>(_ body: () throws(CaptureError) -> R) throws(CaptureError) -> R {
    do throws(CaptureError) { return try body() } catch {
      failure = failure ?? error
      throw error
    }
  }
}

extension CaptureError {
  /// Whether the same call may succeed at once: 4 is EINTR, and 11 EAGAIN.
  fileprivate var isTransient: Bool { errorNumber == 4 || errorNumber == 11 }
}

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

import CaptureCore
import Foundation
import SystemFiles
import Testing

@testable import VideoStorage

/// What a capture writes is in the units, whoever writes it.
@Suite(.enabled(if: StorageFolder.isPossible))
struct BlockWriterTests {
  private static let unitSize = StorageFolder.unitSize
  private static let bufferSize = 64 << 10

  enum Queue: CaseIterable {
    case ring, thread

    func make() throws -> any BlockQueue { self == .ring ? try RingQueue(depth: 3) : try ThreadQueue(depth: 3) }
  }

  /// Whether this machine allows io_uring. Many containers do not.
  static let queues = Queue.allCases.filter { $0 == .thread || (try? $0.make()) != nil }

  private func writer(_ folder: PoolFolder, _ queue: any BlockQueue, units: Int = 2) throws -> BlockWriter {
    for unit in 1...units { try folder.make(UInt64(unit)) }
    return BlockWriter(
      units: try UnitFiles((1...units).map { UInt64($0) }, in: folder, thread: DiskThread(name: "units")), queue: queue,
      depth: 3, bufferSize: Self.bufferSize)
  }

  private func write(_ bytes: some Collection<UInt8>, with writer: BlockWriter) throws {
    try Array(bytes).withUnsafeBytes { try writer.write($0) }
  }

  @Test(arguments: queues, [[100], [4096], [70_000, 1, 5000], [1_100_000, 3], [65_536, 65_536]])
  func everythingIsThereAfterAFlush(queue: Queue, parts: [Int]) throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let writer = try writer(folder, try queue.make())
    let wanted = pattern(parts.reduce(0, +))
    var done = 0
    for part in parts {
      try write(wanted[done..<done + part], with: writer)
      done += part
      try writer.flush()
      let units = try place.units.flatMap { try place.bytes("\(PoolFolder.name)/\($0)") }
      #expect(Array(units[..<done]) == Array(wanted[..<done]))
    }
    #expect(writer.size == UInt64(done))
    #expect(
      try writer.room == 3 * Self.bufferSize - done % Self.bufferSize % AlignedBytes.block - (done & ~4095)
        % Self.bufferSize)
  }

  /// More bytes than all buffers take wait for the disk, and keep their order.
  @Test(arguments: queues) func aLongWriteWaitsForBuffers(queue: Queue) throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let writer = try writer(folder, try queue.make())
    let wanted = pattern(2 * Self.unitSize)
    try write(wanted, with: writer)
    try writer.flush()
    #expect(try place.units.flatMap { try place.bytes("\(PoolFolder.name)/\($0)") } == wanted)
  }

  @Test func onlyTheUnitsAtHandAreOpen() throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    for unit in 1...4 { try folder.make(UInt64(unit)) }
    let thread = DiskThread(name: "units")
    let units = try UnitFiles([1, 2, 3, 4], in: folder, thread: thread)
    for index in 0..<4 {
      let file = try units.file(index)
      #expect(try units.file(index) === file)
      try thread.wait { () throws(CaptureError) in }
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        .filter { $0.hasPrefix("\(place.pool)/unit-") }.compactMap { Int($0.suffix(1)) }.sorted()
      let atHand = (index + 1)...min(index + 2, 4)
      #expect(open == Array(atHand))
    }
  }

  @Test func moreThanTheUnitsHoldIsRefusedAsAWhole() throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let writer = try writer(folder, try ThreadQueue(depth: 3), units: 1)
    try write(pattern(Self.unitSize - 10), with: writer)
    let error = #expect(throws: CaptureError.self) { try write(pattern(11), with: writer) }
    #expect(error?.reason == .videoStorageFull)
    #expect(error?.errorNumber == 28)
    #expect(writer.size == UInt64(Self.unitSize - 10))
    try write(pattern(10), with: writer)
    try writer.flush()
  }

  /// A queue whose writes end as a test says.
  private final class ScriptedQueue: BlockQueue {
    var results: [Int32?]
    private var begun: [(Int, Int32)] = []

    init(_ results: [Int32?]) { self.results = results }

    /// How many writes do not begin, for a moment.
    var refusals = 0
    /// How many results were taken.
    private(set) var taken = 0

    func begin(_ bytes: UnsafeRawBufferPointer, to file: Descriptor, at offset: UInt64, number: Int)
      throws(CaptureError)
    {
      if refusals > 0 {
        refusals -= 1
        throw .system("The queue has no memory", EAGAIN)
      }
      let result = (results.isEmpty ? nil : results.removeFirst()) ?? Int32(bytes.count)
      begun.append((number, result))
      // What the result says is written is there.
      let count = min(bytes.count, Int(max(0, result)))
      if count > 0 { try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset, "The test") }
    }

    func next(waits: Bool) -> (number: Int, result: Int32)? {
      guard waits, !begun.isEmpty else { return nil }
      taken += 1
      return begun.removeFirst()
    }
  }

  /// The system may take only a part of a write, or nothing for a moment.
  @Test(arguments: [Int32(4096), 0, 8192, -EAGAIN, -EINTR]) func whatTheSystemLeavesOutIsWrittenAfterwards(
    result: Int32
  ) throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let writer = try writer(folder, ScriptedQueue([result]), units: 1)
    let wanted = pattern(Self.bufferSize + 100)
    try write(wanted, with: writer)
    try writer.flush()
    #expect(try Array(place.bytes("\(PoolFolder.name)/\(place.units[0])")[..<wanted.count]) == wanted)
  }

  @Test func aWriteThatDoesNotBeginForAMomentIsWrittenAtOnce() throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let queue = ScriptedQueue([])
    queue.refusals = 2
    let writer = try writer(folder, queue, units: 1)
    let wanted = pattern(3 * Self.bufferSize)
    try write(wanted, with: writer)
    try writer.flush()
    #expect(queue.taken == 1)
    #expect(try Array(place.bytes("\(PoolFolder.name)/\(place.units[0])")[..<wanted.count]) == wanted)
  }

  @Test func aDrainWaitsForAllWritesAlsoForThoseThatFail() throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let queue = ScriptedQueue([-EIO, -EIO])
    let writer = try writer(folder, queue, units: 1)
    try write(pattern(3 * Self.bufferSize), with: writer)
    #expect(queue.taken == 0)
    writer.drain()
    #expect(queue.taken == 3)
  }

  /// Without a flush, a long capture would keep the files of all its units open.
  @Test func fewFilesWaitForASync() throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let writer = try writer(folder, try ThreadQueue(depth: 3), units: 8)
    for part in 0..<8 { try write(pattern(Self.unitSize, seed: UInt8(part)), with: writer) }
    writer.drain()
    #expect(try openUnits(place) <= 6)
  }

  /// The number of files of units that are open.
  private func openUnits(_ place: StorageFolder) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
      .count { $0.hasPrefix("\(place.pool)/unit-") }
  }

  /// A thread that opens units too late does not keep those open that the capture has passed, nor opens one twice.
  @Test func unitsThatAreOpenedTooLateAreClosed() throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    for unit in 1...4 as ClosedRange<UInt64> { try folder.make(unit) }
    let (thread, gate) = (DiskThread(name: "units"), Mailbox<Void>(depth: 1))
    thread.enqueue { _ = gate.take() }
    let files = try UnitFiles([1, 2, 3, 4], in: folder, thread: thread)
    let last = try (0..<4).map { try files.file($0).number }.last
    gate.put(())
    try thread.wait {}
    #expect(try openUnits(place) == 1)
    #expect(try files.file(3).number == last)
  }

  @Test(arguments: [(Int32(-5), Int32(5)), (-28, 28)])
  func anErrorOfTheDiskStays(result: Int32, number: Int32) throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let writer = try writer(folder, ScriptedQueue([nil, result]), units: 1)
    try write(pattern(2 * Self.bufferSize), with: writer)
    for _ in 0..<2 {
      let error = #expect(throws: CaptureError.self) { try writer.flush() }
      #expect(error?.errorNumber == number)
    }
    #expect(throws: CaptureError.self) { try write(pattern(1), with: writer) }
  }

  @Test func aCallerThatMustNotWaitSeesTheRoom() throws {
    let place = try StorageFolder()
    let folder = try PoolFolder(in: place.path, unitSize: Self.unitSize)
    let writer = try writer(folder, ScriptedQueue([]), units: 1)
    #expect(try writer.room == 3 * Self.bufferSize)
    try write(pattern(3 * Self.bufferSize), with: writer)
    #expect(try writer.room == 0)
    try writer.flush()
    #expect(try writer.room == 3 * Self.bufferSize)
  }
}

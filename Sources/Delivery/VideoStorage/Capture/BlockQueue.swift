internal import CDirectIO
internal import CaptureCore
internal import Synchronization
internal import SystemFiles

/// Writes that go on at the same time, each with a number of the caller. One thread at a time uses it, and takes the
/// results of all its writes.
protocol BlockQueue: AnyObject {
  /// Begins a write.
  func begin(_ bytes: UnsafeRawBufferPointer, to file: Descriptor, at offset: UInt64, number: Int) throws(CaptureError)

  /// Takes the result of a write that has ended: the number of bytes written, or a negative errno. Nil when none has
  /// ended; with `waits` the method waits for one, and there must be a write.
  func next(waits: Bool) throws(CaptureError) -> (number: Int, result: Int32)?
}

private let action = "The movie cannot be written to the video storage"

/// The queue of the kernel, which needs no thread of ours.
final class RingQueue: BlockQueue {
  private let ring: OpaquePointer

  /// - Parameter depth: the most writes at once.
  /// - Throws: `processingFailed` where io_uring is not allowed, as in many containers.
  init(depth: Int) throws(CaptureError) {
    var ring: OpaquePointer?
    let result = cdirectio_ring_create(UInt32(depth), &ring)
    guard let ring else { throw .system("io_uring cannot be used", -result) }
    self.ring = ring
  }

  deinit { cdirectio_ring_destroy(ring) }

  func begin(_ bytes: UnsafeRawBufferPointer, to file: Descriptor, at offset: UInt64, number: Int) throws(CaptureError)
  {
    let result = cdirectio_ring_write(
      ring, file.number, bytes.baseAddress!, UInt32(bytes.count), offset, UInt64(number))
    guard result == 0 else { throw .system(action, -result) }
  }

  func next(waits: Bool) throws(CaptureError) -> (number: Int, result: Int32)? {
    var (number, result): (UInt64, Int32) = (0, 0)
    let outcome = cdirectio_ring_next(ring, waits, &number, &result)
    guard outcome >= 0 else { throw .system(action, -outcome) }
    return outcome == 1 ? (Int(number), result) : nil
  }
}

/// A thread that writes one block after the other, for where io_uring is not allowed.
final class ThreadQueue: BlockQueue {
  private struct Job: @unchecked Sendable {
    // Unchecked, because the caller leaves the bytes alone until it has the result.
    let bytes: UnsafeRawBufferPointer
    let file: Descriptor
    let offset: UInt64
    let number: Int
  }

  private typealias Ended = (number: Int, result: Int32)
  private let jobs: Mailbox<Job>
  private let ended: Mailbox<Ended>
  /// The number of results that nobody took.
  private let count = Counter()

  private final class Counter: Sendable {
    let value = Atomic(0)
  }

  init(depth: Int) throws(CaptureError) {
    let (jobs, ended, count) = (Mailbox<Job>(depth: depth), Mailbox<Ended>(depth: depth), self.count)
    (self.jobs, self.ended) = (jobs, ended)
    try WorkerThread.start(name: "video-storage-w") {
      while let job = jobs.take() {
        var result = Int32(job.bytes.count)
        do throws(CaptureError) { try job.file.write(job.bytes, at: job.offset, action) } catch {
          result = -(error.errorNumber ?? 5)
        }
        ended.put((job.number, result))
        count.value.add(1, ordering: .releasing)
      }
    }
  }

  deinit { jobs.close() }

  func begin(_ bytes: UnsafeRawBufferPointer, to file: Descriptor, at offset: UInt64, number: Int) throws(CaptureError)
  {
    // There is room, because the caller has no more writes than the queue is deep.
    jobs.put(Job(bytes: bytes, file: file, offset: offset, number: number))
  }

  func next(waits: Bool) throws(CaptureError) -> (number: Int, result: Int32)? {
    guard waits || count.value.load(ordering: .acquiring) > 0, let ended = ended.take() else { return nil }
    count.value.subtract(1, ordering: .relaxed)
    return ended
  }
}

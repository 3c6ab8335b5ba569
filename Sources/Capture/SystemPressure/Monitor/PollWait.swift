#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where the polling thread waits: for a time, for somebody who wakes it, or for news of the kernel. Thread-safe.
final class PollWait: Sendable {
  private let reading: Int32
  private let writing: Int32
  private let events: ThermalEvents?

  /// Takes two descriptors; without them, when the system gives none, nobody can wake the thread before its time.
  init(events: ThermalEvents?) {
    var ends: [Int32] = [-1, -1]
    // A pipe would get these flags only afterwards.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    if socketpair(AF_UNIX, kind, 0, &ends) != 0 { ends = [-1, -1] }
    reading = ends[0]
    writing = ends[1]
    self.events = events
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Ends the present wait, or the next one. Never blocks: a full socket wakes all the same.
  func wake() {
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }

  /// - Parameter nanoseconds: how long at most.
  /// - Returns: whether the kernel has news.
  @discardableResult
  func wait(nanoseconds: UInt64) -> Bool {
    // `poll` passes over negative descriptors.
    var waited = [
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: events?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    // Rounded up, or the last millisecond would be spent in a loop.
    let milliseconds = Int32(min(nanoseconds / 1_000_000 + 1, 3_600_000))
    guard poll(&waited, 2, milliseconds) > 0 else { return false }
    if waited[0].revents != 0 {
      withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
        while read(reading, buffer.baseAddress, buffer.count) == buffer.count {}
      }
    }
    guard waited[1].revents != 0 else { return false }
    events?.drain()
    return true
  }
}

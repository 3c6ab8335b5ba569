import Glibc

/// The place where the polling thread waits: until a time is over, another thread wakes it, or the kernel has news.
/// Thread-safe.
final class PollWait: Sendable {
  private let reading: Int32
  private let writing: Int32
  private let events: ThermalEvents?

  /// Takes two descriptors. When the system gives none, no thread can wake the polling thread before its time.
  init(events: ThermalEvents?) {
    var ends: [Int32] = [-1, -1]
    // socketpair(2) sets these flags when it makes the descriptors; pipe(2) would need further calls to set them.
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

  /// Ends the present wait, or the next one if no thread waits. Never blocks: when the socket is full, the bytes that
  /// are in the socket already wake the thread.
  func wake() {
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }

  /// Waits for the end of the time, for ``wake()`` or for news of the kernel.
  ///
  /// - Parameter nanoseconds: the longest wait, at most an hour.
  /// - Returns: whether the kernel has news.
  @discardableResult
  func wait(nanoseconds: UInt64) -> Bool {
    // poll(2) ignores negative descriptors.
    var waited = [
      pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: events?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    // The time is rounded up; otherwise poll(2) would return early, and the polling thread would loop through the last
    // millisecond.
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

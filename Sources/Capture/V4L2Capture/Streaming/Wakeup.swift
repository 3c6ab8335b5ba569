internal import CV4L2
internal import Glibc

/// Wakes a thread that waits in `poll` (an eventfd). Thread-safe; open as long as the object lives.
final class Wakeup: Sendable {
  let descriptor: Int32

  /// - Throws: mostly EMFILE: clients use up descriptors too, and must not end the daemon with that.
  init() throws(VideoNodeError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw VideoNodeError(call: "eventfd", errno: Errno(errno)) }
  }

  deinit { close(descriptor) }

  func signal() { eventfd_write(descriptor, 1) }

  /// Takes the signals given so far.
  func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}

internal import CV4L2
internal import Glibc

/// Wakes a thread that waits in `poll` (an eventfd). Thread-safe; open as long as the object lives.
final class Wakeup: Sendable {
  let descriptor: Int32

  init() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    // Only when the process has no descriptor left; nothing could be opened afterwards either.
    precondition(descriptor >= 0, "eventfd failed")
  }

  deinit { close(descriptor) }

  func signal() { eventfd_write(descriptor, 1) }

  /// Takes the signals given so far.
  func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}

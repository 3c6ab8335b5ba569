internal import CV4L2
internal import Glibc

/// Wakes a thread that waits in `poll`, by an eventfd. Thread-safe. The descriptor is open as long as the object lives.
final class Wakeup: Sendable {
  let descriptor: Int32

  /// - Throws: the error of eventfd(2), mostly EMFILE. Clients use up descriptors too, and that must not end the
  ///   daemon.
  init() throws(VideoNodeError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw VideoNodeError(call: "eventfd", errno: Errno(errno)) }
  }

  deinit { close(descriptor) }

  /// Wakes the waiting thread, or lets its next `poll` return at once.
  func signal() { eventfd_write(descriptor, 1) }

  /// Resets the descriptor, so that `poll` waits for the next signal.
  func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}

internal import CV4L2
internal import Glibc

/// Wakes a thread that waits in `poll`, by an eventfd. Thread-safe. The descriptor is open as long as the object lives.
package final class Wakeup: Sendable {
  /// The descriptor to wait for.
  package let descriptor: Int32

  /// Nil when the system gives no descriptor; `errno` then tells why. Clients use up descriptors too, and that must not
  /// end the daemon.
  package init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Wakes the waiting thread, or lets its next `poll` return at once.
  package func signal() { eventfd_write(descriptor, 1) }

  /// Resets the descriptor, so that `poll` waits for the next signal.
  package func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}

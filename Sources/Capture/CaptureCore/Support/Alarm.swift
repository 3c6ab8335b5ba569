internal import Glibc
public import SystemClocks

/// A sleep until an instant of the monotonic clock, which another thread can cut short.
///
/// `clock_nanosleep` also sleeps until an absolute instant, but no thread can wake it. A client that stops a stalled
/// camera, for example, must not wait for the stall to end.
public final class Alarm: @unchecked Sendable {
  // Unchecked: threads touch `rung` only while they hold the mutex, and the pointers never change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var rung = false

  /// Creates an alarm that has not rung.
  public init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Blocks the thread until `deadline` or until another thread calls ``ring()``. A ring that came before this call
  /// counts too: the call then returns at once.
  public func sleep(until deadline: MonotonicInstant) {
    let (seconds, rest) = deadline.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
    pthread_mutex_lock(mutex)
    while !rung, pthread_cond_timedwait(condition, mutex, &time) == 0 {}
    rung = false
    pthread_mutex_unlock(mutex)
  }

  /// Ends the present sleep, or the next one if no thread sleeps now.
  public func ring() {
    pthread_mutex_lock(mutex)
    rung = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }
}

import Glibc

/// A bounded queue into a worker thread. Putting an element never waits; taking one blocks the thread until there is
/// one. Thread-safe.
///
/// Swift tasks must not use ``take()``, because it would block a thread of their pool.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
  // Unchecked, because a condition variable needs a pthread mutex. The other variables are used only while that
  // mutex is locked.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let notEmpty = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// A ring, so that taking the oldest element moves no other.
  private var ring: [Element?]
  private var first = 0
  private var count = 0
  private var isClosed = false

  /// The greatest number of elements that wait.
  public let depth: Int

  /// Creates an empty mailbox.
  ///
  /// - Parameter depth: the greatest number of elements that wait, at least 1.
  public init(depth: Int) {
    precondition(depth > 0, "a mailbox without room")
    self.depth = depth
    ring = Array(repeating: nil, count: depth)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(notEmpty, nil)
  }

  deinit {
    pthread_cond_destroy(notEmpty)
    pthread_mutex_destroy(mutex)
    notEmpty.deallocate()
    mutex.deallocate()
  }

  /// Puts `element` at the end. When the mailbox is full, the oldest element is removed to make room.
  ///
  /// - Returns: the element that no thread will take: the removed one, or `element` itself when the mailbox is closed.
  ///   Nil when every element still has its place.
  @discardableResult
  public func put(_ element: Element) -> Element? {
    locked {
      if isClosed { return element }
      let oldest = count == depth ? removeFirst() : nil
      append(element)
      pthread_cond_signal(notEmpty)
      return oldest
    }
  }

  /// Puts `element` at the end, unless the mailbox is full or closed.
  ///
  /// - Returns: whether the element was put.
  public func putIfRoom(_ element: Element) -> Bool {
    locked {
      if isClosed || count == depth { return false }
      append(element)
      pthread_cond_signal(notEmpty)
      return true
    }
  }

  /// Waits for an element and takes the oldest.
  ///
  /// - Returns: nil when the mailbox is closed; elements that still waited then are gone.
  public func take() -> Element? {
    locked {
      while count == 0 && !isClosed { pthread_cond_wait(notEmpty, mutex) }
      return isClosed ? nil : removeFirst()
    }
  }

  /// Closes the mailbox, drops the elements that wait, and wakes every thread that waits in ``take()``. Calling this
  /// method twice is harmless.
  public func close() {
    let abandoned = locked {
      isClosed = true
      let abandoned = ring
      (ring, count) = ([], 0)
      pthread_cond_broadcast(notEmpty)
      return abandoned
    }
    // The elements are released here, outside the lock, because releasing the last reference to an element may take
    // other locks.
    _ = abandoned
  }

  /// Puts an element at the end. The ring has room.
  private func append(_ element: Element) {
    ring[(first + count) % depth] = element
    count += 1
  }

  /// Takes the oldest element. There is one.
  private func removeFirst() -> Element {
    defer {
      ring[first] = nil
      first = (first + 1) % depth
      count -= 1
    }
    return ring[first]!
  }

  private func locked<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}

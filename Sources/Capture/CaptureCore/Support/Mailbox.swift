#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A bounded queue into a worker thread: putting never waits, taking blocks. Thread-safe.
///
/// Not for tasks: ``take()`` blocks the thread that calls it.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
  // Unchecked because a condition variable needs a pthread mutex: `elements` and `isClosed` are touched under it only.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let notEmpty = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var elements: [Element] = []
  private var isClosed = false

  /// The most elements that wait.
  public let depth: Int

  public init(depth: Int) {
    precondition(depth > 0, "a mailbox without room")
    self.depth = depth
    elements.reserveCapacity(depth)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(notEmpty, nil)
  }

  deinit {
    pthread_cond_destroy(notEmpty)
    pthread_mutex_destroy(mutex)
    notEmpty.deallocate()
    mutex.deallocate()
  }

  /// Puts `element` at the end; the oldest makes room when the mailbox is full.
  ///
  /// - Returns: what will not be taken: the oldest, or `element` itself once the mailbox is closed.
  @discardableResult
  public func put(_ element: Element) -> Element? {
    locked {
      if isClosed { return element }
      let oldest = elements.count == depth ? elements.removeFirst() : nil
      elements.append(element)
      pthread_cond_signal(notEmpty)
      return oldest
    }
  }

  /// Puts `element` at the end unless the mailbox is full or closed.
  ///
  /// - Returns: whether it will be taken.
  public func putIfRoom(_ element: Element) -> Bool {
    locked {
      if isClosed || elements.count == depth { return false }
      elements.append(element)
      pthread_cond_signal(notEmpty)
      return true
    }
  }

  /// Waits for the oldest element and takes it.
  ///
  /// - Returns: nil once the mailbox is closed; what was still waiting is gone.
  public func take() -> Element? {
    locked {
      while elements.isEmpty && !isClosed { pthread_cond_wait(notEmpty, mutex) }
      return isClosed ? nil : elements.removeFirst()
    }
  }

  /// Ends the mailbox and whoever waits in ``take()``. Calling it twice is harmless.
  public func close() {
    let abandoned = locked {
      isClosed = true
      let abandoned = elements
      elements = []
      pthread_cond_broadcast(notEmpty)
      return abandoned
    }
    // Released here: the last reference to an element may take other locks.
    _ = abandoned
  }

  private func locked<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}

/// A value now, and then each newer one. A consumer that is slow misses those in between, and always gets the newest.
///
/// The consumer reads the value itself when it wakes, so that it never gets an older value after a newer one, whichever
/// threads change the value.
public struct NewestValues<Value: Sendable>: AsyncSequence, Sendable {
  /// Yields the value at each step.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var changes: AsyncStream<Void>.Iterator?
    fileprivate let watch: AsyncStream<Void>
    fileprivate let read: @Sendable () -> Value

    /// The value at once, then after each change. Nil once the changes have ended or the task is cancelled.
    public mutating func next() async -> Value? {
      if changes == nil {
        changes = watch.makeAsyncIterator()
        return Task.isCancelled ? nil : read()
      }
      guard await changes?.next() != nil else { return nil }
      return read()
    }
  }

  private let changes: AsyncStream<Void>
  private let read: @Sendable () -> Value

  /// - Parameters:
  ///   - changes: has an element after each change, and ends when there are no more; one element waits.
  ///   - read: returns the value now.
  public init(of changes: AsyncStream<Void>, read: @escaping @Sendable () -> Value) {
    self.changes = changes
    self.read = read
  }

  /// The values, for one consumer.
  public func makeAsyncIterator() -> Iterator { Iterator(watch: changes, read: read) }
}

/// A queue of events from a handler, for which a test can wait. Thread-safe.
package struct Signal<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  /// Makes a queue without events.
  package init() { (stream, continuation) = AsyncStream.makeStream() }

  /// Adds an event.
  package func send(_ value: Value) { continuation.yield(value) }

  /// Waits for the next event. Returns nil when the test's task is cancelled.
  package func next() async -> Value? { await stream.first { _ in true } }
}

extension Signal where Value == Void {
  /// Adds an event without a value.
  package func send() { send(()) }
}

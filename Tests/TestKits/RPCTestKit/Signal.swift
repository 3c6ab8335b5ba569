/// Lets a test wait for events of a handler.
package struct Signal<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  package init() { (stream, continuation) = AsyncStream.makeStream() }

  package func send(_ value: Value) { continuation.yield(value) }

  /// Waits for the next event. Returns nil when the test's task is cancelled.
  package func next() async -> Value? { await stream.first { _ in true } }
}

extension Signal where Value == Void {
  package func send() { send(()) }
}

/// Lets a test wait for events of a handler.
struct Signal<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func send(_ value: Value) { continuation.yield(value) }

  /// The next event. Nil when the test's task is cancelled.
  func next() async -> Value? { await stream.first { _ in true } }
}

extension Signal where Value == Void {
  func send() { send(()) }
}

/// Returns when the task is cancelled.
func untilCancelled() async {
  for await _ in AsyncStream<Never>.makeStream().stream {}
}

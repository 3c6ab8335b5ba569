/// Waits until a condition holds, and checks the condition again and again.
///
/// - Throws: `CancellationError` when the time limit of the test is over, so that a test that fails does not wait for
///   ever.
package func until(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// Returns when the task is cancelled.
package func untilCancelled() async {
  for await _ in AsyncStream<Never>.makeStream().stream {}
}

/// Returns when the condition holds. Throws when the test's time is over, so that a test that fails does not go on for
/// ever.
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

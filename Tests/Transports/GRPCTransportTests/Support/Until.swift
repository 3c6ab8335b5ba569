/// Returns when the condition holds. Throws when the test's time is over, so that one that fails does not go on for ever.
func until(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

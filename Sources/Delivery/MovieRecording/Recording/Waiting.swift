/// Waits for work that nothing can cancel.
enum Waiting {
  /// Waits until `work` is done, but at most for `limit`. Work that takes longer goes on.
  ///
  /// - Returns: whether the work is done.
  static func isDone(within limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    Task {
      await work()
      answer.yield(true)
    }
    let timer = Task {
      if (try? await Task.sleep(for: limit)) != nil { answer.yield(false) }
    }
    defer { timer.cancel() }
    return await answers.first { _ in true } ?? false
  }
}

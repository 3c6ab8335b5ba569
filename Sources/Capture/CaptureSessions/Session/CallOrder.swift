/// Runs the calls that change a session one after the other.
struct CallOrder {
  private var last: Task<Void, Never>?

  /// Runs `body` on the session after every earlier call has ended. The call gets a task of its own on the session's
  /// actor, so that cancelling its caller cannot interrupt it half-way.
  mutating func enqueue<R: Sendable>(
    on session: isolated CaptureSession,
    _ body: @escaping @Sendable (isolated CaptureSession) async throws -> R
  ) -> Task<R, any Error> {
    let previous = last
    let task = Task {
      await previous?.value
      return try await body(session)
    }
    last = Task { _ = await task.result }
    return task
  }
}

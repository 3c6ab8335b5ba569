public import CaptureCore
public import SystemClocks

extension SessionRegistry {
  /// How long a stream waits for a session that does not exist. A client may ask for frames at the same time as it
  /// calls CreateSession, and either call may reach the registry first.
  static let patience = Duration.milliseconds(250)

  /// Returns the session called `id`, and waits up to ``patience`` for one that does not exist yet.
  ///
  /// - Throws: `sessionNotFound`, `shuttingDown`.
  public func expectedSession(_ id: String) async throws(CaptureError) -> CaptureSession {
    if isMissing(id) { await arrival(of: id) }
    return try session(id)
  }

  private func arrival(of id: String) async {
    lastArrival += 1
    let ticket = lastArrival
    let limit = Task { [clock = environment.clock] in
      try await clock.sleep(for: Self.patience)
      arrivals[id]?.removeValue(forKey: ticket)?.resume()
    }
    await withCheckedContinuation { arrivals[id, default: [:]][ticket] = $0 }
    limit.cancel()
    if arrivals[id]?.isEmpty == true { arrivals[id] = nil }
  }

  func endWaiting(for id: String) {
    for waiter in (arrivals.removeValue(forKey: id) ?? [:]).values { waiter.resume() }
  }

  /// Creates a session, configures it and starts it. If one of these fails, the session is deleted again.
  ///
  /// The session exists from the beginning, so that other calls can wait for its outputs with
  /// ``CaptureSession/awaitCreation()``.
  ///
  /// - Parameters:
  ///   - id: as in ``create(id:idleTimeout:isBeingCreated:onDemand:)``.
  ///   - idleTimeout: nanoseconds; 0 keeps the session forever.
  ///   - configuration: the first configuration; nil for none.
  ///   - startRequestedAt: when the call arrived; nil when the session is not to be started.
  /// - Throws: the errors of ``create(id:idleTimeout:isBeingCreated:onDemand:)``,
  ///   ``CaptureSession/configure(_:etag:validateOnly:)`` and ``CaptureSession/start(requestedAt:)``;
  ///   `operationInterrupted` when the session was deleted meanwhile.
  public func create(
    id: String, idleTimeout: UInt64, configuration: SessionConfiguration?, startRequestedAt: MonotonicInstant?
  ) async throws -> SessionSnapshot {
    let session = try create(id: id, idleTimeout: idleTimeout, isBeingCreated: configuration != nil)
    do {
      if let configuration {
        _ = try await session.configure(configuration, etag: "", validateOnly: false)
        // Let waiting readers go on as soon as there are outputs, while the camera is still to be opened.
        await session.endCreation()
      }
      if let startRequestedAt { return try await session.start(requestedAt: startRequestedAt) }
      return await session.snapshot()
    } catch {
      try? await delete(session, etag: "")
      await session.endCreation()
      if (error as? CaptureError)?.reason == .sessionNotFound {
        throw CaptureError(
          .operationInterrupted, "Session \(session.id) was deleted while it was being created; create it again.",
          metadata: ["session": session.id])
      }
      throw error
    }
  }
}

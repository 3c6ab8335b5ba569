internal import CaptureCore
internal import Logging
public import SystemClocks

/// Sessions that start on demand.
extension CaptureSession {
  /// Runs `body`, which serves frames or a photo to a viewer. The session counts as used until `body` ends. If it
  /// starts on demand, it starts for this viewer and runs at least as long as the viewer stays.
  ///
  /// Every call that gives frames to a client runs in here. A call that only tells a client about the session uses
  /// ``idle`` instead, because no camera may run for such a client.
  ///
  /// - Parameter arrival: when the viewer came. The launch timeline begins then.
  public nonisolated func whileViewed<R>(
    since arrival: MonotonicInstant, _ body: () async throws -> R
  ) async rethrows -> R {
    try await idle.whileAttached { try await port.viewers.whileAttached(since: arrival, body) }
  }

  /// Counts a capture as a use of the session, also when the viewer who asked for the capture leaves before its end. A
  /// session that starts on demand runs at least as long. Call it inside of ``whileViewed(since:_:)``.
  ///
  /// - Returns: a function to call when the capture has ended.
  public nonisolated func beginCapture() -> @Sendable () -> Void {
    idle.attach()
    port.viewers.noteCapture()
    return { [port] in
      port.viewers.noteEndOfCapture()
      port.idle.detach()
    }
  }

  /// Returns when a session that starts on demand has started for its viewer. Call it inside of
  /// ``whileViewed(since:_:)``. It returns at once when the session runs or does not start on demand.
  ///
  /// - Parameter arrival: when the viewer came.
  /// - Returns: whether the camera was off or starting when the viewer came.
  /// - Throws: why the session does not run, as ``start(requestedAt:)``.
  @discardableResult
  public func awaitStartOnDemand(since arrival: MonotonicInstant) async throws -> Bool {
    guard port.viewers.idleTimeout != nil else { return false }
    // The session may have started for this viewer before this call had its turn.
    if status.state == .running { return port.timeline.current.startRequested == arrival }
    try await startOnDemand(requestedAt: arrival)
    try checkInterruption()
    return true
  }

  /// Starts the session if it has viewers and is stopped. When it does not start, the viewers stay nevertheless, and
  /// only the log tells why.
  ///
  /// - Parameter instant: when the start was requested.
  func startForViewers(requestedAt instant: MonotonicInstant) async {
    do { try await startOnDemand(requestedAt: instant) } catch {
      guard lifetime.ended == nil else { return }
      port.logger.warning("the session does not start for its viewer", metadata: ["error": "\(error)"])
    }
  }

  private func startOnDemand(requestedAt instant: MonotonicInstant) async throws {
    try await serially { session in
      try session.lifetime.checkAlive()
      // The viewer may have left meanwhile, or a client may have stopped the session.
      guard session.status.state == .stopped, session.port.viewers.mayStart else { return }
      session.port.viewers.noteStart()
      try await SessionStart(requestedAt: instant).carryOutOrWait(in: session)
    }
  }

  /// Stops the session at the end of its idle timeout.
  func stopForLackOfViewers(after wait: OnDemandStart.Wait) async {
    try? await serially { session in
      // A viewer may have come meanwhile.
      guard session.status.state != .stopped, session.port.viewers.isDue(wait) else { return }
      session.port.logger.info("nobody watches the session any more, so it stops")
      await session.stopCameras()
      await session.microphones.closed()
    }
  }
}

internal import CaptureCore
internal import Logging
public import SystemClocks

/// Decides when a session that starts on demand starts and stops. A value that counts the session's viewers; each event
/// returns what is to be done.
struct OnDemandStart: Hashable, Sendable {
  enum Event: Hashable {
    case viewerCame(at: MonotonicInstant)
    /// A capture began for a viewer. It counts as a viewer of its own until ``viewerLeft``, because the viewer may
    /// leave before the capture ends. It asks for no start, because the session runs for the viewer.
    case captureBegan
    case viewerLeft
    /// The session starts, or tries to. When a client started it, the client may not watch yet, so it gets the idle
    /// timeout to begin.
    case started
    /// A client stops the session.
    case stopped
    /// The session has another configuration.
    case committed(at: MonotonicInstant)
  }

  enum Action: Hashable {
    /// Start the session when its turn has come, unless ``mayStart`` is false by then.
    case start(requestedAt: MonotonicInstant)
    /// Wait for the idle timeout in place of any earlier wait. Then stop the session when its turn has come, unless
    /// ``isDue(_:)`` is false by then.
    case wait(Wait)
    case endWait
  }

  /// A wait for the end of the idle timeout.
  struct Wait: Hashable {
    fileprivate let number: UInt64
  }

  private var viewers = 0
  /// Whether a client stopped the session. Only a viewer who comes after that, or a client, starts it.
  private var isHeld = false
  private var present: Wait?
  private var lastNumber: UInt64 = 0

  /// Whether the session has a viewer.
  var isWanted: Bool { viewers > 0 }

  /// Whether the session may start for its viewers.
  var mayStart: Bool { isWanted && !isHeld }

  /// Whether the idle timeout runs.
  var isWaiting: Bool { present != nil }

  /// Whether the session is to stop after this wait, because no viewer has come since the wait began.
  func isDue(_ wait: Wait) -> Bool { wait == present }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .viewerCame(let instant):
      viewers += 1
      isHeld = false
      // Every viewer asks for a start, because the session may be about to stop or may have been stopped by a client.
      // A start changes nothing in a session that runs.
      defer { present = nil }
      return (present == nil ? [] : [.endWait]) + [.start(requestedAt: instant)]
    case .captureBegan:
      viewers += 1
      return []
    case .viewerLeft:
      viewers -= 1
      return isWanted ? [] : [wait()]
    case .started:
      isHeld = false
      return isWanted ? [] : [wait()]
    case .stopped:
      isHeld = true
      return []
    case .committed(let instant):
      // The viewers may wait because the session could not start with the former configuration.
      return mayStart ? [.start(requestedAt: instant)] : []
    }
  }

  private mutating func wait() -> Action {
    lastNumber += 1
    let wait = Wait(number: lastNumber)
    present = wait
    return .wait(wait)
  }
}

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
      port.logger.warning("The session does not start for its viewer.", metadata: ["error.message": "\(error)"])
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
      session.port.logger.info("Nobody watches the session any more, so it stops.")
      await session.stopCameras()
      await session.microphones.closed()
    }
  }
}

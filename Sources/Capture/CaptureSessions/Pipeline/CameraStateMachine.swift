internal import CaptureCore

/// The state machine of one camera of a session. A value: each event returns the actions that the session must carry
/// out. The state machine itself starts nothing and waits for nothing.
struct CameraStateMachine: Hashable, Sendable {
  enum Event: Hashable {
    case startRequested
    /// The camera should run as soon as the cause in the error is over.
    case startAwaited(CaptureError)
    case sourceStarted(streamID: UInt64)
    case startFailed(CaptureError)
    case stopRequested
    case sourceStopped
    /// The running source brings no more frames. ``sourceLost(_:)`` follows when the device is closed.
    case sourceStalled(CaptureError)
    /// The source brought its first frame. The session sends this event only while ``awaitsFrame`` is true.
    case frameArrived(streamID: UInt64)
    /// The running source ended without being stopped.
    case sourceLost(CaptureError)
    /// The machine needs a rest: pressure is so high that no camera may run, or the machine is about to sleep.
    case restRequired(CaptureError)
    case restOver
  }

  enum Action: Hashable {
    case openSource
    case closeSource
    /// Try to open the camera at each tick, until it opens or ``endRetrying`` follows.
    case beginRetrying
    /// Try to open the camera once, now.
    case retry
    case endRetrying
    case emit(Report)
  }

  /// What the session tells its watchers of the camera.
  enum Report: Hashable {
    case stateChanged(SessionStatus)
    case wasInterrupted(InterruptionReason, CaptureError)
    case interruptionEnded(streamID: UInt64)
    case runtimeError(CaptureError)
  }

  private(set) var status = SessionStatus(.stopped)
  /// The error that interrupted the camera, from the newest attempt to run it; nil while the camera is not interrupted.
  private(set) var cause: CaptureError?
  /// The error of the newest event that told of the present interruption, or of what stopped the camera; nil in other
  /// states. Unlike ``cause`` it changes only with an event.
  private(set) var announced: CaptureError?
  /// Whether an interrupted camera has a source nevertheless. Its source has stalled and is not closed yet, or was
  /// started again and has not brought a frame yet.
  private(set) var hasSource = false

  /// Whether the camera counts as running again only when its source brings a frame.
  var awaitsFrame: Bool { status.interruption == .deviceStalled && hasSource }

  /// Forgets the error that stopped the camera, because the session has another camera instead or keeps it closed.
  ///
  /// - Returns: whether there was one.
  mutating func forgetError() -> Bool {
    guard status.state == .stopped, announced != nil else { return false }
    announced = nil
    return true
  }

  mutating func handle(_ event: Event) -> [Action] {
    switch (status.state, event) {
    case (.stopped, .startRequested):
      return move(to: .starting) + [.openSource]
    case (.stopped, .startAwaited(let error)):
      guard let reason = InterruptionReason(ofRetry: error) else { return [.emit(.runtimeError(error))] }
      return interrupt(reason, error) + (reason.isRest ? [] : [.beginRetrying])

    case (.starting, .sourceStarted):
      return move(to: .running)
    case (.starting, .startFailed(let error)):
      return fail(error, to: .stopped)

    case (.running, .sourceLost(let error)):
      if let reason = InterruptionReason(error) {
        return [.closeSource] + interrupt(reason, error) + waiting(for: reason)
      }
      return fail(error, to: .stopping) + [.closeSource]
    case (.running, .sourceStalled(let error)):
      hasSource = true
      return interrupt(.deviceStalled, error)
    case (.running, .restRequired(let error)):
      return [.closeSource] + interrupt(InterruptionReason(error) ?? .systemPressure, error)
    case (.running, .stopRequested):
      return move(to: .stopping) + [.closeSource]

    case (.stopping, .sourceStopped):
      return move(to: .stopped)

    case (.interrupted, .sourceStarted) where status.interruption == .deviceStalled:
      // A successful start proves nothing for a camera that stalled, because it started before as well. Wait for a
      // frame.
      hasSource = true
      return [.endRetrying]
    case (.interrupted, .frameArrived(let streamID)) where awaitsFrame:
      hasSource = false
      return [.emit(.interruptionEnded(streamID: streamID))] + move(to: .running)
    case (.interrupted, .sourceStarted(let streamID)):
      return [.endRetrying, .emit(.interruptionEnded(streamID: streamID))] + move(to: .running)
    case (.interrupted, .sourceLost(let error)) where hasSource:
      hasSource = false
      guard let reason = InterruptionReason(ofRetry: error) else {
        return fail(error, to: .stopping) + [.closeSource]
      }
      return [.closeSource] + interruptFurther(reason, error) + waiting(for: reason)
    case (.interrupted, .startFailed) where hasSource:
      // The source is open already, so a further attempt that failed changes nothing.
      return []
    case (.interrupted, .startFailed(let error)):
      // Keep waiting when the camera is still absent or failing, or when another session has taken it meanwhile.
      // Waiting does not heal any other error.
      guard let reason = InterruptionReason(ofRetry: error) else {
        return [.endRetrying] + fail(error, to: .stopped)
      }
      return interruptFurther(reason, error)
    case (.interrupted, .restRequired(let error)):
      let reason = InterruptionReason(error) ?? .systemPressure
      guard status.interruption != reason else { return [] }
      // Stop waiting for the camera, because it must not start during a rest.
      defer { hasSource = false }
      return [.endRetrying] + (hasSource ? [.closeSource] : []) + interrupt(reason, error)
    case (.interrupted, .restOver):
      return status.interruption.map { $0.isRest ? waiting(for: $0) : [] } ?? []
    case (.interrupted, .stopRequested):
      guard hasSource else { return [.endRetrying] + move(to: .stopped) }
      hasSource = false
      return [.endRetrying] + move(to: .stopping) + [.closeSource]

    // A second start, a second stop, and reports of a source that was given up change nothing.
    case (_, .startRequested), (_, .startAwaited), (_, .stopRequested), (_, .sourceStarted), (_, .startFailed),
      (_, .sourceStopped), (_, .sourceStalled), (_, .frameArrived), (_, .sourceLost), (_, .restRequired),
      (_, .restOver):
      return []
    }
  }

  /// Returns the actions that wait for the end of an interruption. After a stall or a rest the first retry is due at
  /// once. A camera that is disconnected or in use must come back or be released first, so its first retry is due with
  /// the next tick.
  private func waiting(for reason: InterruptionReason) -> [Action] {
    switch reason {
    case .deviceDisconnected, .deviceInUse: [.beginRetrying]
    case .deviceStalled, .systemPressure, .systemSuspend: [.beginRetrying, .retry]
    }
  }

  private mutating func interrupt(_ reason: InterruptionReason, _ error: CaptureError) -> [Action] {
    let told = [.emit(.wasInterrupted(reason, error))] + move(to: .interrupted, reason)
    (cause, announced) = (error, error)
    return told
  }

  private mutating func fail(_ error: CaptureError, to state: SessionState) -> [Action] {
    let told = [.emit(.runtimeError(error))] + move(to: state)
    announced = error
    return told
  }

  /// Goes on with an interruption after another failed attempt. A failure with the same reason replaces only the cause
  /// and sends no event. The causes may differ: for example, a camera may be back while opening it is still denied.
  /// Only a source without a signal and a format that the camera does not give any more are told at once, because a
  /// person can do something about them.
  private mutating func interruptFurther(_ reason: InterruptionReason, _ error: CaptureError) -> [Action] {
    let isNews = [.formatNotSupported, .noSignal].contains(error.reason) && cause?.message != error.message
    guard reason == status.interruption, !isNews else { return interrupt(reason, error) }
    cause = error
    return []
  }

  private mutating func move(to state: SessionState, _ reason: InterruptionReason? = nil) -> [Action] {
    cause = nil
    if state != .stopped || status.state != .stopping { announced = nil }
    status = SessionStatus(state, interruption: reason)
    return [.emit(.stateChanged(status))]
  }
}

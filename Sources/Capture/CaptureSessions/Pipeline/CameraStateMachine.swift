internal import CaptureCore

/// The life of one camera of a session, as a value: each event returns what is to be done. It starts and waits for nothing
/// itself.
struct CameraStateMachine: Hashable, Sendable {
  enum Event: Hashable {
    case startRequested
    /// It is to run as soon as what keeps it from running is over.
    case startAwaited(CaptureError)
    case sourceStarted(streamID: UInt64)
    case startFailed(CaptureError)
    case stopRequested
    case sourceStopped
    /// The running source brings no frames any more; ``sourceLost(_:)`` follows when its device is closed.
    case sourceStalled(CaptureError)
    /// The source brought a frame. Told where ``awaitsFrame`` says so.
    case frameArrived(streamID: UInt64)
    /// The running source ended by itself.
    case sourceLost(CaptureError)
    /// The pressure is such that nothing may run, or the machine is about to sleep.
    case restRequired(CaptureError)
    case restOver
  }

  enum Action: Hashable {
    case openSource
    case closeSource
    /// Try to open again until it works or stop is requested.
    case beginRetrying
    /// Try once, now.
    case retry
    case endRetrying
    case emit(SessionEvent)
  }

  private(set) var status = SessionStatus(.stopped)
  /// Why it is interrupted, as the newest attempt tells; nil when it is not.
  private(set) var cause: CaptureError?
  /// Whether an interrupted session has a source all the same: a camera that stalled and is not closed yet, or was started
  /// again and is to show that it delivers.
  private(set) var hasSource = false

  /// Whether the first frame of a stream decides that the session runs.
  var awaitsFrame: Bool { status.interruption == .deviceStalled && hasSource }

  mutating func handle(_ event: Event) -> [Action] {
    switch (status.state, event) {
    case (.stopped, .startRequested):
      return move(to: .starting) + [.openSource]
    case (.stopped, .startAwaited(let error)):
      guard let reason = InterruptionReason(error) else { return [.emit(.runtimeError(error))] }
      return interrupt(reason, error) + (reason.isRest ? [] : [.beginRetrying])

    case (.starting, .sourceStarted):
      return move(to: .running)
    case (.starting, .startFailed(let error)):
      return [.emit(.runtimeError(error))] + move(to: .stopped)

    case (.running, .sourceLost(let error)):
      if let reason = InterruptionReason(error) {
        return [.closeSource] + interrupt(reason, error) + waiting(for: reason)
      }
      return [.emit(.runtimeError(error))] + move(to: .stopping) + [.closeSource]
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
      // That it takes the start says nothing: it did so before.
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
        return [.emit(.runtimeError(error))] + move(to: .stopping) + [.closeSource]
      }
      return [.closeSource] + interruptFurther(reason, error) + waiting(for: reason)
    case (.interrupted, .startFailed) where hasSource:
      // It is open: somebody asked for what went on already.
      return []
    case (.interrupted, .startFailed(let error)):
      // Still away, failing, or taken by somebody else meanwhile. Anything else will not heal by waiting.
      guard let reason = InterruptionReason(ofRetry: error) else {
        return [.endRetrying, .emit(.runtimeError(error))] + move(to: .stopped)
      }
      return interruptFurther(reason, error)
    case (.interrupted, .restRequired(let error)):
      let reason = InterruptionReason(error) ?? .systemPressure
      guard status.interruption != reason else { return [] }
      // Whatever it waited for: it must not start when that comes.
      defer { hasSource = false }
      return [.endRetrying] + (hasSource ? [.closeSource] : []) + interrupt(reason, error)
    case (.interrupted, .restOver):
      return status.interruption.map { $0.isRest ? waiting(for: $0) : [] } ?? []
    case (.interrupted, .stopRequested):
      guard hasSource else { return [.endRetrying] + move(to: .stopped) }
      hasSource = false
      return [.endRetrying] + move(to: .stopping) + [.closeSource]

    // A second start, a second stop, and what a source says after it was given up change nothing.
    case (_, .startRequested), (_, .startAwaited), (_, .stopRequested), (_, .sourceStarted), (_, .startFailed),
      (_, .sourceStopped), (_, .sourceStalled), (_, .frameArrived), (_, .sourceLost), (_, .restRequired),
      (_, .restOver):
      return []
    }
  }

  /// What happened to the camera is over as soon as it is known, or after a rest; only for its return there is to wait first.
  private func waiting(for reason: InterruptionReason) -> [Action] {
    switch reason {
    case .deviceDisconnected, .deviceInUse: [.beginRetrying]
    case .deviceStalled, .systemPressure, .systemSuspend: [.beginRetrying, .retry]
    }
  }

  private mutating func interrupt(_ reason: InterruptionReason, _ error: CaptureError) -> [Action] {
    let told = [.emit(.wasInterrupted(reason, error))] + move(to: .interrupted, reason)
    cause = error
    return told
  }

  /// The same reason is not told again, though what is behind it may be another: a camera that came back and may not be opened.
  private mutating func interruptFurther(_ reason: InterruptionReason, _ error: CaptureError) -> [Action] {
    guard reason == status.interruption else { return interrupt(reason, error) }
    cause = error
    return []
  }

  private mutating func move(to state: SessionState, _ reason: InterruptionReason? = nil) -> [Action] {
    cause = nil
    status = SessionStatus(state, interruption: reason)
    return [.emit(.stateChanged(status))]
  }
}

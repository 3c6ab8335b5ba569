internal import CaptureCore

/// A session's life as a value: each event returns what is to be done. It starts, waits and talks to nobody itself.
struct SessionStateMachine: Hashable, Sendable {
  enum Event: Hashable {
    case startRequested
    /// It is to run as soon as what keeps it from running is over.
    case startAwaited(CaptureError)
    case sourceStarted(streamID: UInt64)
    case startFailed(CaptureError)
    case stopRequested
    case sourceStopped
    /// The running source ended by itself.
    case sourceLost(CaptureError)
    /// The pressure is such that nothing may run.
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

  mutating func handle(_ event: Event) -> [Action] {
    switch (status.state, event) {
    case (.stopped, .startRequested):
      return move(to: .starting) + [.openSource]
    case (.stopped, .startAwaited(let error)):
      guard let reason = InterruptionReason(error) else { return [.emit(.runtimeError(error))] }
      return interrupt(reason, error) + (reason == .systemPressure ? [] : [.beginRetrying])

    case (.starting, .sourceStarted):
      return move(to: .running)
    case (.starting, .startFailed(let error)):
      return [.emit(.runtimeError(error))] + move(to: .stopped)

    case (.running, .sourceLost(let error)):
      if let reason = InterruptionReason(error) {
        return [.closeSource] + interrupt(reason, error) + [.beginRetrying]
      }
      return [.emit(.runtimeError(error))] + move(to: .stopping) + [.closeSource]
    case (.running, .restRequired(let error)):
      return [.closeSource] + interrupt(.systemPressure, error)
    case (.running, .stopRequested):
      return move(to: .stopping) + [.closeSource]

    case (.stopping, .sourceStopped):
      return move(to: .stopped)

    case (.interrupted, .sourceStarted(let streamID)):
      return [.endRetrying, .emit(.interruptionEnded(streamID: streamID))] + move(to: .running)
    case (.interrupted, .startFailed(let error)):
      // Still away, or taken by somebody else meanwhile. Anything else will not heal by waiting.
      guard let reason = InterruptionReason(error) else {
        return [.endRetrying, .emit(.runtimeError(error))] + move(to: .stopped)
      }
      return reason == status.interruption ? [] : interrupt(reason, error)
    case (.interrupted, .restRequired(let error)):
      // Whatever it waited for: it must not start when that comes.
      return status.interruption == .systemPressure ? [] : [.endRetrying] + interrupt(.systemPressure, error)
    case (.interrupted, .restOver):
      return status.interruption == .systemPressure ? [.beginRetrying, .retry] : []
    case (.interrupted, .stopRequested):
      return [.endRetrying] + move(to: .stopped)

    // A second start, a second stop, and what a source says after it was given up change nothing.
    case (_, .startRequested), (_, .startAwaited), (_, .stopRequested), (_, .sourceStarted), (_, .startFailed),
      (_, .sourceStopped), (_, .sourceLost), (_, .restRequired), (_, .restOver):
      return []
    }
  }

  private mutating func interrupt(_ reason: InterruptionReason, _ error: CaptureError) -> [Action] {
    [.emit(.wasInterrupted(reason, error))] + move(to: .interrupted, reason)
  }

  private mutating func move(to state: SessionState, _ reason: InterruptionReason? = nil) -> [Action] {
    status = SessionStatus(state, interruption: reason)
    return [.emit(.stateChanged(status))]
  }
}

extension InterruptionReason {
  /// Which interruption an error means; nil for errors that waiting does not heal.
  init?(_ error: CaptureError) {
    switch error.reason {
    // A camera that comes back belongs to nobody for a moment, until udev gives it to its group.
    case .deviceDisconnected, .deviceNotFound, .deviceAccessDenied: self = .deviceDisconnected
    case .deviceInUse: self = .deviceInUse
    case .systemPressure: self = .systemPressure
    default: return nil
    }
  }
}

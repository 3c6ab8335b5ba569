internal import SystemClocks

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

/// Decides what the daemon does when the machine sleeps and wakes, as logind announces. A value: ``SleepMonitor``
/// carries out the actions.
struct SleepStateMachine: Hashable, Sendable {
  enum Event: Hashable {
    /// logind is on the bus, for the first time or again.
    case logindArrived
    /// logind, or the bus, is gone: logind will not announce any more that the machine is awake.
    case logindLeft
    case willSleep
    /// The machine is awake again, or did not sleep after all.
    case awake
  }

  enum Action: Hashable {
    /// Ask logind to wait before it sends the machine to sleep.
    case takeLock
    /// Let the machine sleep.
    case releaseLock
    /// Close the cameras, and go on when they are closed.
    case rest
    case resume
  }

  private(set) var isResting = false

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    // A lock that a former logind gave does not delay the new logind, so the monitor closes that lock and takes
    // another.
    case .logindArrived: return isResting ? [] : [.releaseLock, .takeLock]
    case .willSleep:
      guard !isResting else { return [] }
      isResting = true
      return [.rest, .releaseLock]
    case .awake:
      guard isResting else { return [] }
      isResting = false
      // The cameras come before the lock: people wait for the cameras, and the next sleep is far away.
      return [.resume, .takeLock]
    case .logindLeft:
      guard isResting else { return [.releaseLock] }
      isResting = false
      return [.resume]
    }
  }
}

/// What is to be done about a machine that sleeps and wakes, as logind tells it. A value: it does nothing itself.
struct SleepStateMachine: Hashable, Sendable {
  enum Event: Hashable {
    /// logind is there, for the first time or again.
    case logindArrived
    /// logind is gone, or the bus with it: logind will not say that the machine is awake again.
    case logindLeft
    case willSleep
    /// The machine is awake again, or did not sleep after all.
    case awake
  }

  enum Action: Hashable {
    /// Ask logind to wait before it sends the machine to sleep.
    case takeLock
    /// Let it sleep.
    case releaseLock
    /// Close the cameras; go on when they are.
    case rest
    case resume
  }

  private(set) var isResting = false

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    // A lock that a former logind gave is of no use.
    case .logindArrived: return isResting ? [] : [.releaseLock, .takeLock]
    case .willSleep:
      guard !isResting else { return [] }
      isResting = true
      return [.rest, .releaseLock]
    case .awake:
      guard isResting else { return [] }
      isResting = false
      // First the cameras: people wait for them, and the next sleep is far away.
      return [.resume, .takeLock]
    case .logindLeft:
      guard isResting else { return [.releaseLock] }
      isResting = false
      return [.resume]
    }
  }
}

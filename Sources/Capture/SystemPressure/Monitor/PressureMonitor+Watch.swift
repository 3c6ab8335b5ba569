public import CaptureCore
internal import Synchronization

extension PressureMonitor {
  /// The present state of `scope`, then each change of its level or factors, and of whether the level is a
  /// drill's; of everything, each change of causes. A slow reader gets the newest and misses those between.
  ///
  /// Ends when ``run()`` does; afterwards it gives the last state and ends.
  public func watch(_ scope: PressureScope = .machine) -> AsyncMapSequence<AsyncStream<PressureUpdate>, PressureState> {
    updates(of: scope).map(\.state)
  }

  /// As ``watch(_:)``, with the place of each state among all.
  public func updates(of scope: PressureScope) -> AsyncStream<PressureUpdate> {
    state.withLock { addWatcher(of: scope, beginning: [$0.told(scope, log.lastID)], &$0) }
  }

  /// What was told of `scope` after an update, without its readings but for the newest; then each change as it comes.
  ///
  /// - Parameter number: of the last update that the watcher knows.
  /// - Throws: `eventsLost` when later ones are no longer kept.
  public func updates(
    of scope: PressureScope, after number: UInt64
  ) throws(CaptureError) -> (missed: [PressureUpdate], next: AsyncStream<PressureUpdate>) {
    // In one step, so that a change in between is neither missed nor told twice.
    let (kept, newest, next) = try state.withLock { state throws(CaptureError) in
      let kept = try log.entries(after: number)
      return (kept, state.told(scope, log.lastID), addWatcher(of: scope, beginning: [], &state))
    }
    var last = log.entry(number)?.payload.scoped(to: scope)
    var missed: [PressureUpdate] = []
    for entry in kept {
      let now = entry.payload.scoped(to: scope)
      defer { last = now }
      if let last, scope != .everything, !last.isUnlike(now) { continue }
      missed.append(PressureUpdate(state: now.withoutReadings, number: entry.id))
    }
    if missed.last?.number == newest.number { missed[missed.count - 1] = newest }
    return (missed, next)
  }

  /// Names an update for clients; see ``EventLog/eventID(_:)``.
  public func eventID(_ number: UInt64) -> String { log.eventID(number) }

  /// The update that has this id.
  ///
  /// - Throws: `eventsLost` for an id of another run.
  public func number(of eventID: String) throws(CaptureError) -> UInt64 { try log.number(of: eventID) }

  /// - Parameter first: what it is told at once.
  private func addWatcher(
    of scope: PressureScope, beginning first: [PressureUpdate], _ state: inout State
  ) -> AsyncStream<PressureUpdate> {
    let (stream, continuation) = AsyncStream<PressureUpdate>.makeStream(bufferingPolicy: .bufferingNewest(1))
    // Inside the lock, or a newer state could be overtaken by this one. It resumes nobody: nobody iterates yet.
    for update in first { continuation.yield(update) }
    guard !state.hasEnded else {
      continuation.finish()
      return stream
    }
    state.nextWatcher += 1
    let id = state.nextWatcher
    state.watchers[id] = Watcher(scope: scope, continuation: continuation)
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
    }
    return stream
  }
}

extension PressureMonitor.State {
  fileprivate func told(_ scope: PressureScope, _ number: UInt64) -> PressureUpdate {
    PressureUpdate(state: told.scoped(to: scope), number: number)
  }
}

extension PressureState {
  /// Whether watchers are to hear of it.
  func isUnlike(_ other: PressureState) -> Bool {
    (level, factors, isSimulated) != (other.level, other.factors, other.isSimulated)
  }

  /// Level, factors and causes alone.
  var withoutReadings: PressureState {
    var state = self
    state.readings = PressureReadings()
    return state
  }

  /// What the log of changes keeps: thousands of readings would take megabytes. Cameras tell which causes are whose.
  var forLog: PressureState {
    var state = withoutReadings
    state.readings.cameras = readings.cameras
    return state
  }
}

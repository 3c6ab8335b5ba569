public import CaptureCore
internal import Locking
internal import Logging
internal import SystemClocks

extension PressureMonitor {
  /// The present state of `scope`, and then a state for each change of its level, its factors, or whether a drill gives
  /// the level. Watchers of ``PressureScope/everything`` get a state for each change of causes. A slow watcher gets the
  /// newest state and misses those in between.
  ///
  /// The stream ends when ``run()`` ends. A later call gives the last state, and the stream then ends.
  public func watch(_ scope: PressureScope = .machine) -> AsyncMapSequence<AsyncStream<PressureUpdate>, PressureState> {
    updates(of: scope).map(\.state)
  }

  /// The states of ``watch(_:)``, each with its number among all updates.
  public func updates(of scope: PressureScope) -> AsyncStream<PressureUpdate> {
    state.withLock { state in
      changes.watchPart(beginningWith: state.told(scope, log.lastID)) { $0.update(of: scope) }
    }
  }

  /// The updates of `scope` after a known one, and then each change as it comes. Updates that the watcher missed come
  /// without readings, except the newest update.
  ///
  /// - Parameter number: the number of the last update that the watcher knows.
  /// - Throws: `eventsLost` when the log no longer keeps all later updates.
  public func updates(
    of scope: PressureScope, after number: UInt64
  ) throws(CaptureError) -> (missed: [PressureUpdate], next: AsyncStream<PressureUpdate>) {
    // The log and the newest state are read, and the watcher is added, under one lock, so that the watcher neither
    // misses a change in between nor gets the same change twice.
    let (kept, newest, next) = try state.withLock { state throws(CaptureError) in
      let kept = try log.entries(after: number)
      return (kept, state.told(scope, log.lastID), changes.watchPart { $0.update(of: scope) })
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

  /// The id of an update for clients; see ``EventLog/eventID(_:)``.
  public func eventID(_ number: UInt64) -> String { log.eventID(number) }

  /// The number of the update that has this id.
  ///
  /// - Throws: `eventsLost` for an id of another run of the daemon.
  public func number(of eventID: String) throws(CaptureError) -> UInt64 { try log.number(of: eventID) }
}

extension PressureMonitor.State {
  fileprivate func told(_ scope: PressureScope, _ number: UInt64) -> PressureUpdate {
    PressureUpdate(state: told.scoped(to: scope), number: number)
  }
}

extension PressureState {
  /// Whether watchers must hear of the change from `other` to this state.
  func isUnlike(_ other: PressureState) -> Bool {
    (level, factors, isSimulated) != (other.level, other.factors, other.isSimulated)
  }

  /// The state with its level, factors and causes, but without readings.
  var withoutReadings: PressureState {
    var state = self
    state.readings = PressureReadings()
    return state
  }

  /// The state as the log of changes keeps it, without most readings: thousands of readings would take megabytes. The
  /// state keeps the readings of cameras, which tell to which camera a cause belongs.
  var forLog: PressureState {
    var state = withoutReadings
    state.readings.cameras = readings.cameras
    return state
  }
}

extension PressureMonitor.State {
  /// Takes the next readings: marks those that are not plausible, and lets the model judge all.
  mutating func take(_ readings: PressureReadings) {
    let checked = check.check(readings, after: measured.readings, camerasAreNew: camerasRead != camerasTold)
    camerasRead = camerasTold
    measured = model.update(checked, now: .now(), wallTime: .now())
  }
}

extension PressureMonitor {
  /// Tells the operator on what the monitor does not act, and why.
  func tellOperator(_ findings: [PlausibilityCheck.Finding]) {
    for finding in findings {
      logger.warning(
        "The daemon does not act on a reading or a limit, because it is not plausible.",
        metadata: ["reading.source": "\(finding.source)", "reading.doubt": "\(finding.text)"])
    }
  }
}

/// A change of what watchers are told. It may concern none of their scopes.
struct PressureChange: Sendable {
  let before, now: PressureState
  /// The number of the change among all changes.
  let number: UInt64

  /// What watchers of `scope` hear of the change; nil when it does not concern them.
  func update(of scope: PressureScope) -> PressureUpdate? {
    let (before, now) = (before.scoped(to: scope), now.scoped(to: scope))
    return scope == .everything || before.isUnlike(now) ? PressureUpdate(state: now, number: number) : nil
  }
}

/// A state that watchers are told, with its number among all states that were told.
public struct PressureUpdate: Hashable, Sendable {
  /// The state. An update that a watcher missed comes without readings.
  public var state: PressureState
  /// The number of the update, which grows with each change. ``PressureMonitor/eventID(_:)`` makes the id for clients.
  public var number: UInt64
}

internal import CaptureCore

/// What a commit does to each camera of a session, computed before the commit does anything. A value.
///
/// Cameras without a change go on as they are, whatever happens to the others.
struct CameraChanges: Hashable, Sendable {
  enum Change: Hashable, Sendable {
    /// A streaming camera gets another format or rate, or is swapped for another camera.
    case restart(CommitPlan.Restart)
    /// A camera that did not run starts.
    case start
    /// A camera stops running, because the configuration does not have it any more, or no output takes its frames.
    case stop
  }

  /// What the session does with the cameras when the commit begins, by the indices of their pipelines.
  struct Present: Hashable, Sendable {
    /// Whether the session runs or waits until it can.
    var isOn = false
    /// The pipelines whose device is open.
    var open: Set<Int> = []
    /// The pipelines that neither run nor wait until they can.
    var idle: Set<Int> = []
    /// Those of ``idle`` that would run if an output took their frames, or if deferred start had run.
    var parked: Set<Int> = []
  }

  /// By the index of the pipeline.
  private(set) var changes: [Int: Change] = [:]
  /// The pipelines of the cameras that the commit adds, swaps or lets run again while the session is on. A camera may
  /// still have to wait, for example for deferred start.
  private(set) var asked: Set<Int> = []

  /// - Parameters:
  ///   - slots: the pipelines of the cameras in `former`, then those in `next`.
  init(
    from former: ResolvedConfiguration, to next: ResolvedConfiguration, slots: (CameraSlots, CameraSlots),
    _ present: Present
  ) {
    for slot in 0..<SessionConfiguration.maximumCameras {
      let before = slots.0.place(at: slot).map { former.inputs[$0] }
      let place = slots.1.place(at: slot)
      let isIdle = present.idle.contains(slot)
      let after = place.flatMap { place in
        // A camera that runs already is not closed to open again with deferred start. A camera that was absent when the
        // session was configured has not run.
        next.isUsed(at: place) && !((isIdle || before == nil) && next.isDeferred(at: place)) ? next.inputs[place] : nil
      }
      if present.open.contains(slot) {
        changes[slot] = Self.change(of: before, to: after)
      } else if let after {
        changes[slot] = Self.change(
          of: before, to: after, isOn: present.isOn, isIdle, present.parked.contains(slot))
      } else if !isIdle, before != nil || place != nil {
        changes[slot] = .stop
      }
      guard present.isOn, let place, next.isUsed(at: place) else { continue }
      let wasUsed = slots.0.place(at: slot).map(former.isUsed) ?? false
      let isSame = wasUsed && before?.sourceID == next.inputs[place].sourceID
      if !isSame || changes[slot] == .start { asked.insert(slot) }
    }
  }

  private static func change(
    of before: ResolvedConfiguration.Input?, to after: ResolvedConfiguration.Input?
  ) -> Change? {
    guard let after else { return .stop }
    guard let before else { return .restart(.device) }
    if before.sourceID != after.sourceID { return .restart(.device) }
    if before.request == after.request { return nil }
    var sameRate = after.request
    sameRate.frameRate = before.request.frameRate
    return .restart(sameRate == before.request ? .frameRate : .format)
  }

  private static func change(
    of before: ResolvedConfiguration.Input?, to after: ResolvedConfiguration.Input, isOn: Bool, _ isIdle: Bool,
    _ isParked: Bool
  ) -> Change? {
    // A camera that waits opens with its next retry, whatever it is then.
    guard isOn, isIdle else { return nil }
    // A camera that an error stopped stays closed until a client starts the session again or asks it for something
    // else.
    let isSame = before?.sourceID == after.sourceID && before?.request == after.request
    return isParked || !isSame ? .start : nil
  }

  /// Why the first of the restarted cameras must be restarted; nil when none must.
  var restart: CommitPlan.Restart? {
    changes.sorted { $0.key < $1.key }.lazy.compactMap { if case .restart(let reason) = $1 { reason } else { nil } }
      .first
  }

  /// The pipelines that begin to run without having run before.
  var started: [Int] { changes.filter { $0.value == .start }.keys.sorted() }

  /// The pipelines that end to run.
  var stopped: [Int] { changes.filter { $0.value == .stop }.keys.sorted() }

  /// The pipelines that stream otherwise.
  var restarted: [Int] { changes.keys.filter { if case .restart = changes[$0] { true } else { false } }.sorted() }
}

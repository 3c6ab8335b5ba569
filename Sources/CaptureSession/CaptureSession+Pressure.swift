internal import CaptureCore
internal import Logging

/// What a session does about pressure, and about a machine that is going to sleep.
extension CaptureSession {
  /// Takes the newest pressure. It is acted upon after whatever is under way; only the newest counts then.
  func setPressure(_ pressure: PressureDemands) {
    self.pressure = pressure
    if mustRest { shotUnderWay?.cancel() }
    enqueue { await $0.adapt() }
  }

  /// Of the machine and of this session's camera.
  var pressureHere: PressureDemand { pressure.demand(of: resolved.input?.deviceID) }

  /// Closes the camera before the machine sleeps, and starts it after that. Returns when the camera is closed, or tried.
  func setSystemAsleep(_ isAsleep: Bool) async {
    isSystemAsleep = isAsleep
    if mustRest { shotUnderWay?.cancel() }
    try? await serially { await $0.adapt() }
  }

  /// Whether nothing may run.
  var mustRest: Bool { isSystemAsleep || pressureHere.level == .shutdown }

  /// Why nothing may run.
  var restError: CaptureError {
    if isSystemAsleep { return suspendError }
    let sources = pressureHere.causes.map(\.source).joined(separator: ", ")
    return CaptureError(
      .systemPressure,
      "System pressure is at shutdown (\(sources)); session \(id) runs by itself as soon as it is below.",
      metadata: ["session": id, "sources": sources])
  }

  var suspendError: CaptureError {
    CaptureError(
      .systemSuspend, "The machine is being suspended; session \(id) runs by itself as soon as it is awake.",
      metadata: ["session": id])
  }

  /// Follows the ladder, then rests or resumes.
  func adapt() async {
    guard (try? checkAlive()) != nil else { return }
    followLadder()
    await apply(mustRest ? .restRequired(restError) : .restOver)
  }

  /// Every limit is in force before the first step is told.
  private func followLadder() {
    let demand = pressureHere
    let changes = adaptation.follow(resolved.adaptationPolicy == .server ? demand.steps : [])
    guard !changes.isEmpty else { return }
    for hosted in outputs.values { hosted.output.limitsDidChange(adaptation.pictures) }
    setRates()
    if let format { setMemory(ringPlan(window: resolved.zeroShutterLagWindow, format: format)) }
    for change in changes {
      switch change {
      case .apply(let step): events.append(.adaptationApplied(step, demand.level, demand.causes))
      case .undo(let step): events.append(.adaptationUndone(step, demand.level, demand.causes))
      }
    }
    logger.info(
      "adapted to system pressure",
      metadata: ["pressure.level": "\(demand.level)", "steps": "\(adaptation.applied.count)"])
  }

  /// The ring's part in the ladder: what the configuration resolved to stays as it is.
  func ringPlan(window: UInt64, format: StreamFormat) -> RingPlan {
    RingPlan(window: min(window, adaptation.ringWindow ?? .max), format: format)
  }
}

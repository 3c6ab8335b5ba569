internal import CaptureCore

/// The demands of the machine on a session, as they were last reported. The session acts on them when the turn of that
/// call comes.
struct SystemConditions: Sendable {
  var pressure: PressureDemands
  /// Whether the machine is asleep or about to sleep.
  var isSystemAsleep: Bool

  /// Returns why the camera `device` must not run now; nil when it may.
  func rest(of device: String?, in session: String) -> CaptureError? {
    if isSystemAsleep { return Self.suspended(session) }
    let demand = pressure.demand(of: device)
    return demand.level == .shutdown ? Self.tooHot(demand, session) : nil
  }

  static func suspended(_ session: String) -> CaptureError {
    CaptureError(
      .systemSuspend,
      "The machine is being suspended; session \(session) starts again by itself when the machine is awake.",
      metadata: ["session": session])
  }

  private static func tooHot(_ demand: PressureDemand, _ session: String) -> CaptureError {
    let sources = demand.causes.map(\.source).joined(separator: ", ")
    return CaptureError(
      .systemPressure,
      "System pressure is at shutdown (\(sources)); session \(session) starts again by itself when the pressure falls.",
      metadata: ["session": session, "sources": sources])
  }
}

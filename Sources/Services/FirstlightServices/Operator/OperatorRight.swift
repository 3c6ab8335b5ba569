internal import CaptureCore
internal import CaptureSessions
internal import HTTPTransport
internal import MovieRecording
internal import RPCCore

/// Who may end what the operator declared in the configuration file. Until callers have roles, that is who calls from
/// this machine: over a Unix socket or the loopback interface. The capacity of the video storage needs more, see
/// ``StandardAccess``.
enum OperatorRight {
  /// Checks that a call may end or change a session.
  ///
  /// - Parameter action: what the call does, after "Only the operator may".
  /// - Throws: `operatorRequired` for a session of the configuration file, unless the call comes from this machine.
  static func check(
    _ session: CaptureSession, _ context: CallContext, _ action: String
  ) throws(CaptureError) {
    guard session.isDeclared else { return }
    try check(context, "\(action) session \(session.id)", session: session.id)
  }

  /// Checks that a call comes from this machine.
  ///
  /// - Parameters:
  ///   - action: what the call does, after "Only the operator may".
  ///   - session: the id of the session of the configuration file.
  /// - Throws: `operatorRequired`.
  static func check(_ context: CallContext, _ action: String, session: String) throws(CaptureError) {
    guard !context.principal.isOnThisMachine else { return }
    throw CaptureError(
      .operatorRequired,
      "Only the operator may \(action), which the configuration file of the daemon declares; call from the daemon's "
        + "own machine, by its loopback address or a Unix socket.", metadata: ["session": session])
  }
}

/// Whether a session of the configuration file does what the file says.
struct DeclaredState: Sendable {
  /// `sessions/{id}`.
  let name: String
  /// Why the session does not do it, as a sentence; nil when it does. A session on demand does it while it waits for a
  /// viewer.
  let failure: String?
}

extension CameraServices {
  /// The states of the sessions of the configuration file, ordered by name.
  func declaredStates() async -> [DeclaredState] {
    var states: [DeclaredState] = []
    for session in await sessions.sessions() where session.isDeclared {
      var failure = await session.declaredFailure()
      if failure == nil, movies.recordings.recordsContinuously(session.id) {
        let outputs = await session.configuredOutputs().compactMap { $1 as? MovieOutput }
        if !outputs.contains(where: \.isRecordingContinuously) {
          failure = "Session \(session.id) runs and does not record; the log of the daemon says why."
        }
      }
      states.append(DeclaredState(name: "sessions/\(session.id)", failure: failure))
    }
    return states
  }

  /// Makes the page `/readyz`, for whoever watches over the daemon: 200 while the daemon serves and each session of the
  /// configuration file does what the file says, else 503 and one sentence a line. Only who calls the daemon by one of
  /// its names learns the names of sessions and cameras in these sentences.
  func readinessPage(_ health: HealthState) -> HTTPPage {
    HTTPPage("/readyz", .server, parameters: [], isOpenToLinks: true, answersAnyName: true) { request, writer in
      writer.send(await readiness(health, inDetail: request.namesServer))
    }
  }

  private func readiness(_ health: HealthState, inDetail isDetailed: Bool) async -> HTTPAnswer {
    guard health.status(of: "") == .serving else { return HTTPAnswer(status: 503, "The daemon does not serve.\n") }
    let failures = await declaredStates().compactMap(\.failure)
    if failures.isEmpty { return HTTPAnswer("ok\n") }
    let hint = "A session is not ready. Ask by an address or a name of the daemon for the reason.\n"
    return HTTPAnswer(status: 503, isDetailed ? failures.map { "\($0)\n" }.joined() : hint)
  }
}

extension MetricsText {
  /// Adds whether the sessions of the configuration file do what the file says.
  mutating func add(_ states: [DeclaredState]) {
    add(
      "firstlight_declared_session_ready", .gauge,
      "1 while a session of the configuration file runs, and records where it is to, or waits for a viewer; else 0.",
      states.map { MetricSample($0.failure == nil ? 1 : 0, ["session": $0.name]) })
  }
}

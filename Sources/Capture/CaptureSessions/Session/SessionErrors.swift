public import CaptureCore

/// The errors of calls that the session's state does not allow.
enum SessionErrors {
  static func notRunning(_ session: String) -> CaptureError {
    CaptureError(.sessionNotRunning, "Session \(session) does not run; start it first.", metadata: ["session": session])
  }

  static func isDeclared(_ session: String) -> CaptureError {
    CaptureError(
      .sessionDeclared,
      "Session \(session) is declared in the configuration file of the daemon, so no call deletes it; take it out of "
        + "the file and restart the daemon, or stop it.", metadata: ["session": session])
  }

  static func notStreaming(_ device: String, in session: String) -> CaptureError {
    CaptureError(
      .sessionNotRunning, "Device \(device) does not stream in session \(session); start it first.",
      metadata: ["session": session, "device": device], field: "active_frame_rate")
  }

  static func automaticDeferredStart(_ session: String) -> CaptureError {
    CaptureError(
      .automaticDeferredStart,
      "Session \(session) runs deferred start by itself; set automatically_runs_deferred_start to false to decide "
        + "when.",
      metadata: ["session": session])
  }

  /// Checks that a session can start.
  ///
  /// - Throws: `noInput`, `noOutput`.
  static func checkStartable(_ session: String, hasInput: Bool, hasOutput: Bool) throws(CaptureError) {
    func incomplete(_ reason: CaptureError.Reason, _ what: String, missing: String) -> CaptureError {
      CaptureError(reason, "Session \(session) \(what).", metadata: ["session": session, "missing": missing])
    }
    switch (hasInput, hasOutput) {
    case (true, true): break
    case (false, false):
      throw incomplete(.noInput, "has neither a camera nor an output; configure both first", missing: "input, output")
    case (false, true): throw incomplete(.noInput, "has no camera; configure an input first", missing: "input")
    case (true, false):
      throw incomplete(.noOutput, "has no output; configure a preview or a photo output first", missing: "output")
    }
  }

  /// Returns the error that interrupted the camera, for a client that starts the session. Its message says when the
  /// session resumes, and may say how to remove the cause.
  ///
  /// - Parameters:
  ///   - life: the state of the camera.
  ///   - rest: why the camera must not run now; nil when it may.
  ///   - device: the id of the camera; nil when it is not known.
  static func interrupted(
    _ session: String, _ life: CameraStateMachine, rest: CaptureError?, device: String?
  ) -> CaptureError {
    guard let reason = life.status.interruption else { return notRunning(session) }
    let until: String
    switch reason {
    case .systemPressure: return rest ?? life.cause ?? notRunning(session)
    case .systemSuspend: return SystemConditions.suspended(session)
    case .deviceInUse: until = "when its camera is free"
    case .deviceDisconnected where life.cause?.reason == .deviceAccessDenied: until = "when its camera may be opened"
    case .deviceDisconnected: until = "when its camera is back"
    case .deviceStalled: until = "when its camera, which is connected, delivers again"
    }
    guard var error = life.cause?.sinceCommit else { return notRunning(session) }
    error.message = "Session \(session) is interrupted and resumes by itself \(until). \(error.message)"
    error.metadata["session"] = session
    error.metadata["device"] = error.metadata["device"] ?? device ?? ""
    error.field = nil
    return error
  }
}

/// An error that lists every issue with a configuration.
public struct ConfigurationError: Error, Sendable {
  /// The issues, at least one. The first one decides the error's code.
  public var issues: [CaptureError]

  /// - Parameter issues: every issue with the configuration, at least one.
  public init(issues: [CaptureError]) { self.issues = issues }
}

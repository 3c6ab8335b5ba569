extension CaptureError {
  /// The error of a call that needs frames of an output that has none.
  ///
  /// - Parameters:
  ///   - output: the id of the output.
  ///   - status: what the output knows of its session, or of its camera when the session has several. Such a camera may
  ///     be away alone, when no start of the session would bring it back.
  ///   - session: the id of the session.
  public static func noFrames(of output: String, _ status: SessionStatus, in session: String) -> CaptureError {
    let why: String
    if let interruption = status.interruption {
      why = "\(interruption.text)); call again when it has frames."
    } else if status.awaitsDeferredStart {
      why =
        "its camera waits for deferred start); call again when that has run. If the session does not run it by itself, "
        + "call RunDeferredStart."
    } else if status.state == .starting {
      why = "it is starting); call again when it runs."
    } else {
      why = "it is \(status.state)); start session \(session)."
    }
    var error = CaptureError(
      .sessionNotRunning, "Output \(output) has no frames now (\(why)",
      metadata: ["session": session, "output": output, "state": "\(status.state)"])
    error.metadata["interruption"] = status.interruption?.name
    if status.awaitsDeferredStart { error.metadata["awaits"] = "deferred_start" }
    return error
  }
}

internal import CaptureCore
internal import CaptureSessions

/// The metrics of each camera and microphone. A session may have several, of which one may be away or lose frames while
/// the session runs.
extension MetricsText {
  mutating func addInputs(of sessions: [SessionFigures]) {
    let inputs = sessions.flatMap { session in session.inputs.map { (session.name, $0.input, $0.status) } }
    add(
      "firstlight_input_state", .gauge, "1 for the state the camera or microphone is in, else 0.",
      inputs.flatMap { session, input, status in
        SessionState.all.map {
          MetricSample($0.state == status.state ? 1 : 0, ["session": session, "input": input, "state": $0.label])
        }
      })
    add(
      "firstlight_input_interrupted", .gauge,
      "1 while the camera or microphone is interrupted for this reason, else 0.",
      inputs.flatMap { session, input, status in
        InterruptionReason.all.map {
          MetricSample(
            $0.reason == status.interruption ? 1 : 0, ["session": session, "input": input, "reason": $0.label])
        }
      })
    addCameras(of: sessions)
  }

  private mutating func addCameras(of sessions: [SessionFigures]) {
    let cameras = sessions.flatMap { session in session.cameras.map { (session.name, $0) } }
    add(
      "firstlight_session_adaptation_steps", .gauge, "Steps of the adaptation ladder that are in force for a camera.",
      cameras.map { MetricSample($1.adaptationSteps, ["session": $0, "input": $1.input]) })
    add(
      "firstlight_input_frames_total", .counter, "Frames that a camera brought since its input was added.",
      cameras.map { MetricSample($1.counts.frames, ["session": $0, "input": $1.input]) })
    add(
      "firstlight_input_frames_lost_total", .counter,
      "Frames of a camera that were lost before they reached any output, counted with the next frame.",
      cameras.flatMap { session, camera in
        camera.counts.lost.byReason.map { reason, count in
          MetricSample(count, ["session": session, "input": camera.input, "reason": reason])
        }
      })
    add(
      "firstlight_session_pictures_damaged_total", .counter,
      "Damaged pictures from a camera, counted at once. Outputs count them with their next frame.",
      cameras.map { MetricSample($1.counts.damagedPictures, ["session": $0, "input": $1.input]) })
  }
}

extension DropCounts {
  /// Each count with the value of the label `reason`.
  var byReason: [(reason: String, count: UInt64)] {
    [("late", late), ("out_of_buffers", outOfBuffers), ("discontinuity", discontinuity), ("damaged", damaged)]
  }
}

internal import CaptureCore
internal import CaptureSessions
internal import MovieRecording

/// The figures of one session for metrics.
struct SessionFigures: Sendable {
  /// `sessions/{id}`.
  var name: String
  var status: SessionStatus
  /// What each camera and microphone does, in the order of the configuration.
  var inputs: [InputStatus]
  /// The counts of each camera, in the order of the configuration.
  var cameras: [CameraFigures]
  /// The outputs that count frames, ordered by id.
  var outputs: [(id: String, counts: OutputCounts)]

  /// Whether the session records now. Nil without a movie output.
  var isRecording: Bool?

  /// Returns the figures of all sessions.
  static func all(in registry: SessionRegistry) async -> [SessionFigures] {
    var figures: [SessionFigures] = []
    for session in await registry.sessions() {
      let snapshot = await session.snapshot()
      let configured = await session.configuredOutputs()
      let outputs = configured.compactMap { _, output in output.counts.map { (output.id, $0) } }
      let movies = configured.compactMap { ($1 as? MovieOutput)?.isRecording }
      figures.append(
        SessionFigures(
          name: "sessions/\(session.id)", status: snapshot.status, inputs: snapshot.inputStatus,
          cameras: await session.cameraFigures(), outputs: outputs.sorted { $0.0 < $1.0 },
          isRecording: movies.isEmpty ? nil : movies.contains(true)))
    }
    return figures
  }
}

extension MetricsText {
  mutating func add(sessions: [SessionFigures]) {
    add("firstlight_sessions", .gauge, "Sessions that exist.", sessions.count)
    add(
      "firstlight_session_state", .gauge, "1 for the state the session is in, else 0.",
      sessions.flatMap { session in
        SessionState.all.map {
          MetricSample($0.state == session.status.state ? 1 : 0, ["session": session.name, "state": $0.label])
        }
      })
    add(
      "firstlight_session_interrupted", .gauge, "1 while the session is interrupted for this reason, else 0.",
      sessions.flatMap { session in
        InterruptionReason.all.map {
          MetricSample($0.reason == session.status.interruption ? 1 : 0, ["session": session.name, "reason": $0.label])
        }
      })
    add(
      "firstlight_session_recording", .gauge, "1 while the session records a movie, else 0.",
      sessions.compactMap { session in
        session.isRecording.map { MetricSample($0 ? 1 : 0, ["session": session.name]) }
      })
    addInputs(of: sessions)
    addOutputs(of: sessions)
  }

  private mutating func addOutputs(of sessions: [SessionFigures]) {
    let outputs = sessions.flatMap { session in session.outputs.map { (session.name, $0.id, $0.counts) } }
    add(
      "firstlight_output_frames_total", .counter, "Frames that an output received since it was created.",
      outputs.map { MetricSample($2.received, ["session": $0, "output": $1]) })
    add(
      "firstlight_output_frames_lost_total", .counter,
      "Frames lost before they reached the output. Each reader's stream reports the frames that the reader itself "
        + "missed.",
      outputs.flatMap { session, output, counts in
        counts.lost.byReason.map { reason, count in
          MetricSample(count, ["session": session, "output": output, "reason": reason])
        }
      })
    add(
      "firstlight_output_readers", .gauge, "Readers attached to an output.",
      outputs.map { MetricSample($2.readers, ["session": $0, "output": $1]) })
    addCadence(of: outputs)
  }

  private mutating func addCadence(of outputs: [(session: String, output: String, counts: OutputCounts)]) {
    func samples(_ spans: KeyPath<Cadence, SpanHistogram>) -> [HistogramSample] {
      outputs.map { session, output, counts in
        let spans = counts.cadence[keyPath: spans]
        return HistogramSample(spans.counts, sum: Double(spans.sum) / 1e9, ["session": session, "output": output])
      }
    }
    let bounds = SpanHistogram.bounds.map { Double($0) / 1e9 }
    add(
      "firstlight_output_frame_interval_seconds",
      "Time between two frames handed to the same reader of an output. Readers that asked for fewer frames do not "
        + "count.",
      bounds,
      samples(\.interval))
    add(
      "firstlight_output_frame_lateness_seconds",
      "Time from a frame's capture, by the driver's stamp, until the frame is handed to a reader of an output.", bounds,
      samples(\.lateness))
  }
}

extension SessionState {
  static let all: [(state: SessionState, label: String)] = [
    (.stopped, "stopped"), (.starting, "starting"), (.running, "running"), (.stopping, "stopping"),
    (.interrupted, "interrupted"),
  ]
}

extension InterruptionReason {
  static let all: [(reason: InterruptionReason, label: String)] = [
    (.deviceDisconnected, "device_disconnected"), (.deviceInUse, "device_in_use"),
    (.systemPressure, "system_pressure"), (.deviceStalled, "device_stalled"), (.systemSuspend, "system_suspend"),
  ]
}

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

internal import CaptureCore
internal import Logging
internal import SystemClocks

/// Reports a launch: an event to watchers after each step, and one line in the log when the launch is over.
///
/// Belongs to the session's actor.
final class LaunchReport {
  private let port: SessionPort
  private let deferredStart: DeferredStartRuns
  private var progress = Progress()

  /// The progress of the present launch.
  private struct Progress {
    /// Whether the device has streamed in this launch.
    var isStarted = false
    /// Whether the log has the line about the launch.
    var isLogged = true
    /// Whether the search for the first settled frame is over, with or without a result.
    var isExposureKnown = true
    /// The pipeline of the camera that brought the first frame.
    var camera: Int?
  }

  init(port: SessionPort, deferredStart: DeferredStartRuns) {
    self.port = port
    self.deferredStart = deferredStart
  }

  /// Begins a launch.
  ///
  /// - Parameter instant: when the start was requested.
  func begin(requestedAt instant: MonotonicInstant) {
    port.timeline.record { $0.restart(at: instant) }
    progress = Progress(isLogged: false, isExposureKnown: false)
  }

  /// Notes that a device streams. Only the first stream of a launch counts, not the return of a device after an
  /// interruption.
  func noteStarted() {
    guard !progress.isStarted else { return }
    progress.isStarted = true
    port.timeline.record { $0.startReturned = .now() }
    tell()
  }

  /// Notes that a camera is about to be opened.
  func noteOpening(of input: String) { port.timeline.record { $0.beginOpening(input, at: .now()) } }

  /// Notes that a camera streams.
  func noteStarted(_ input: String) { port.timeline.record { $0.endOpening(input, at: .now()) } }

  /// Notes that a commit was taken over.
  ///
  /// - Parameters:
  ///   - inputs: the ids of all inputs after the commit.
  ///   - asked: the cameras that the commit adds, swaps or lets run again, by input id.
  ///   - requestedAt: when the client asked for the commit; nil when the request to start asked for the cameras.
  func noteCommit(inputs: Set<String>, asked: [String: CameraPipeline], requestedAt: MonotonicInstant?) {
    let launches = asked.mapValues { $0.launch(requestedAt: requestedAt) }
    port.timeline.record { $0.commit(at: .now(), inputs: inputs, asked: launches) }
  }

  /// - Parameters:
  ///   - camera: the pipeline of the camera.
  ///   - input: the id of its input.
  func noteFirstFrame(captured: MonotonicInstant, streamID: UInt64, of camera: Int, _ input: String) {
    if port.timeline.current.firstFrame == nil { progress.camera = camera }
    port.timeline.record { $0.noteFirstFrame(captured: captured, streamID: streamID, of: input) }
  }

  /// Notes that a preview handed its first frame to a reader.
  func noteFirstSend(at instant: MonotonicInstant) {
    guard port.timeline.current.firstFrameSent == nil else { return }
    port.timeline.record { $0.firstFrameSent = instant }
    tell()
  }

  /// Notes the end of the search for the first settled frame.
  ///
  /// - Parameters:
  ///   - frame: the first settled frame; nil when there was none.
  ///   - camera: the pipeline of the camera. Only the camera that brought the first frame counts.
  func noteSettled(_ frame: Frame?, of camera: Int) {
    guard !progress.isExposureKnown, progress.camera ?? camera == camera else { return }
    progress.isExposureKnown = true
    guard let frame, frame.streamID == port.timeline.current.firstFrame?.streamID else { return logIfComplete() }
    port.timeline.record { timeline in
      timeline.firstSettledFrame = .init(captured: frame.time.monotonic, sequence: frame.sequence)
    }
    tell()
  }

  /// Sends watchers the launch timeline after a step, and logs the launch when it is over.
  func tell() {
    port.events.append(.launchTimeline(port.timeline.current))
    logIfComplete()
  }

  /// Logs the launch as it is, because the session stopped and no further step will come.
  func end() { log() }

  private func logIfComplete() {
    let timeline = port.timeline.current
    guard progress.isExposureKnown, deferredStart.isOver, timeline.startReturned != nil, timeline.firstFrameSent != nil
    else { return }
    log()
  }

  private func log() {
    guard !progress.isLogged else { return }
    progress.isLogged = true
    port.logger.info("The session has launched.", metadata: port.timeline.current.metadata)
  }
}

extension LaunchTimeline {
  /// Milliseconds from the request to each step that happened, in the order of the launch.
  fileprivate var metadata: Logger.Metadata {
    guard let start = startRequested else { return [:] }
    func milliseconds(_ instant: MonotonicInstant) -> String {
      let tenths = instant.signedNanoseconds(since: start) / 100_000
      return "\(Double(tenths) / 10)"
    }
    var metadata = Logger.Metadata(minimumCapacity: 8)
    for (name, instant) in [
      ("launch.start_returned_ms", startReturned), ("launch.first_frame_captured_ms", firstFrame?.captured),
      ("launch.first_frame_sent_ms", firstFrameSent), ("launch.first_settled_frame_ms", firstSettledFrame?.captured),
      ("launch.deferred_start_begin_ms", deferredStart.begin), ("launch.deferred_start_end_ms", deferredStart.end),
    ] {
      if let instant { metadata[name] = .string(milliseconds(instant)) }
    }
    if let firstFrame { metadata["stream.id"] = "\(firstFrame.streamID)" }
    return metadata
  }
}

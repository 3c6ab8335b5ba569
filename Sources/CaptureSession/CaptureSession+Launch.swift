internal import CaptureCore
internal import Logging

/// How far the present launch has come.
struct LaunchProgress {
  /// The device streams, or streamed.
  var isStarted = false
  /// The whole launch is in the log.
  var isLogged = true
  /// The first settled frame was found or given up.
  var isExposureKnown = true
}

/// Telling of a launch, step by step.
extension CaptureSession {
  func beginLaunch(requestedAt: UInt64) {
    recorder.record { $0.restart(at: requestedAt) }
    launch = LaunchProgress(isLogged: false, isExposureKnown: false)
    settling.begin()
  }

  /// The device streams: of a launch, not of a device that came back.
  func noteStarted() {
    guard !launch.isStarted else { return }
    launch.isStarted = true
    recorder.record { $0.startReturned = SystemClock.monotonicNanoseconds() }
    tellLaunch()
  }

  func noteFirstFrame(captured: UInt64, streamID: UInt64) {
    recorder.record { timeline in
      // The frames of a device that came back, or was restarted by a commit, are not the launch's first.
      guard timeline.firstFrameCaptured == nil else { return }
      timeline.firstFrameCaptured = captured
      timeline.streamID = streamID
    }
  }

  func noteFirstSend(from output: String, at instant: UInt64) {
    guard let kind = outputs[output]?.configuration.kind, kind.isPreview, recorder.current.firstFrameSent == nil
    else { return }
    recorder.record { $0.firstFrameSent = instant }
    tellLaunch()
  }

  func noteSettled(_ frame: Frame?) {
    guard !launch.isExposureKnown else { return }
    launch.isExposureKnown = true
    guard let frame, frame.streamID == recorder.current.streamID else { return logLaunchIfComplete() }
    recorder.record { timeline in
      timeline.firstSettledFrameCaptured = frame.time.monotonicNanoseconds
      timeline.firstSettledSequence = frame.sequence
    }
    tellLaunch()
  }

  /// The launch so far, after one of its steps.
  func tellLaunch() {
    events.append(.launchTimeline(recorder.current))
    logLaunchIfComplete()
  }

  /// What did not happen until now will not any more.
  func endLaunch() {
    settling.end()
    logLaunch()
  }

  private func logLaunchIfComplete() {
    let timeline = recorder.current
    guard launch.isExposureKnown, deferredStart.isOver, timeline.startReturned != nil, timeline.firstFrameSent != nil
    else { return }
    logLaunch()
  }

  private func logLaunch() {
    guard !launch.isLogged else { return }
    launch.isLogged = true
    logger.info("launched", metadata: recorder.current.metadata)
  }
}

extension LaunchTimeline {
  /// Milliseconds from the request to each step that happened, in the order of the launch.
  fileprivate var metadata: Logger.Metadata {
    guard let start = startRequested else { return [:] }
    func milliseconds(_ instant: UInt64) -> String {
      let tenths = Int64(bitPattern: instant &- start) / 100_000
      return "\(Double(tenths) / 10)"
    }
    var metadata: Logger.Metadata = [:]
    for (name, instant) in [
      ("start_returned_ms", startReturned), ("first_frame_captured_ms", firstFrameCaptured),
      ("first_frame_sent_ms", firstFrameSent), ("first_settled_frame_ms", firstSettledFrameCaptured),
      ("deferred_start_begin_ms", deferredStartBegin), ("deferred_start_end_ms", deferredStartEnd),
    ] {
      if let instant { metadata[name] = "\(milliseconds(instant))" }
    }
    if let streamID { metadata["stream_id"] = "\(streamID)" }
    return metadata
  }
}

extension ResolvedConfiguration.Kind {
  var isPreview: Bool { if case .preview = self { true } else { false } }

  /// Whether it gives frames to readers by itself, so that a launch can wait for its first one.
  var streamsToReaders: Bool { if case .photo = self { false } else { true } }
}

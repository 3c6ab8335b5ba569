internal import CaptureCore
internal import Locking
internal import Logging
internal import SystemClocks
internal import VideoCoding

/// Keeps what an output showed before a recording is asked for. One encoder runs while frames come, and serves the
/// history and the recordings. Thread-safe.
///
/// After a failure of the encoder it begins again by itself, at first after a second and then ever more rarely. It logs
/// the first failure in a row, and when the encoder has gone on for a minute.
final class PreRoll: MovieMode {
  /// The longest time before its request at which a recording may begin, in nanoseconds.
  static let maximumDuration: UInt64 = 60_000_000_000

  private struct State {
    var runs: RunSeries<PreRollRun>
    var audio: AudioHistory
    /// The newest recording since frames are kept. It may have ended.
    var recorder: MovieRecorder?
  }

  private let settings: RecordingSettings
  private let counters: RecordingCounters
  private let slots: RunSlots
  private let report: RunReport
  private let state: Locked<State>

  /// - Parameters:
  ///   - settings: how the output makes recordings. How far back they may begin is above 0.
  ///   - session: the id of the session.
  ///   - slots: bounds the encoders that have not ended.
  init(
    _ settings: RecordingSettings, session: String, counters: RecordingCounters, slots: RunSlots = RunSlots(),
    logger: Logger
  ) {
    self.settings = settings
    self.counters = counters
    self.slots = slots
    report = RunReport(
      session: session, logger: logger,
      failed: "The encoder for the pre-roll of the session failed, and begins again by itself.",
      resumed: "The encoder for the pre-roll of the session has resumed.", count: { counters.countPreRollFailure() })
    state = Locked(
      State(
        runs: RunSeries(slots), audio: AudioHistory(duration: settings.maximumPreRoll + PreRollRun.slack)))
  }

  var keepsFrames: Bool { true }

  var isRecording: Bool { state.withLock { $0.recorder.map { !$0.isEnding } ?? false } }

  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { state.withLock { $0.runs.run?.isBusy ?? false } }

  /// Keeps frames from the next one on. A recording keeps the tracks of sound that it began with.
  func goOn(frameRate: Rational?, orientation: Orientation = .asCaptured, audioTracks: [AudioConnection] = []) {
    state.withLock { $0.runs.goOn(frameRate: frameRate, orientation: orientation, audioTracks: audioTracks) }
  }

  /// Forgets what was kept, and keeps nothing until ``goOn(frameRate:orientation:audioTracks:)``. Recordings end with
  /// this reason.
  @discardableResult
  func pause(_ error: CaptureError) -> (any MovieTarget)? {
    state.withLock { state in
      state.audio.clear()
      state.recorder?.end(.session(error))
      state.recorder = nil
      state.runs.pause(error)
      state.runs.endDelay()
    }
    return nil
  }

  /// Takes a frame, on the capture thread. A frame of another camera or format ends the recordings, and begins another
  /// history.
  func receive(_ captured: CapturedFrame) {
    let step = state.withLock { state in
      state.runs.take(captured) { conditions throws(CaptureError) in try begin(captured.device, conditions) }
    }
    switch step {
    case .leaveOut: return
    case .give(let run): run.receive(captured)
    case .report(let error, let isFirst): report.noteFailure(error.message, isFirst: isFirst)
    }
  }

  /// Takes sound of an input, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String) {
    let shortened = state.withLock { state in
      guard state.runs.isOn else { return 0 }
      state.runs.run?.receive(block, of: input)
      return state.audio.add(block, of: input)
    }
    counters.count(historySoundLost: shortened)
  }

  /// Starts a recording.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread, and while the encoder does not answer.
  func record(to destination: MovieDestination, _ settings: RecordingSettings) throws(CaptureError) -> MovieRecorder {
    try state.withLock { state throws(CaptureError) in
      var found = state.runs.isTaking ? state.runs.run : nil
      if found == nil {
        found = try state.runs.begin { conditions throws(CaptureError) in try begin(settings.device, conditions) }
      }
      guard let run = found, run.recordingCount < SampleMaker.waitingFlushes else { throw Self.doesNotAnswer }
      var settings = settings
      settings.device = run.device
      let feed = PreRollFeed(of: run)
      let recorder = MovieRecorder(to: destination, settings: settings, samples: feed, counters: counters)
      try recorder.start()
      // The sound waits for its frames, which come next.
      if settings.preRoll != nil {
        for (block, input) in state.audio.blocks { recorder.receive(block, of: input, from: .preRoll) }
      }
      run.attach(recorder, feed, from: settings.preRoll.map(\.start))
      state.recorder = recorder
      return recorder
    }
  }

  private static let doesNotAnswer = CaptureError(
    .processingFailed, "The encoder of the movie output does not answer; try again, or restart the daemon.")

  /// Makes a run of this camera and starts its encoder.
  private func begin(_ device: String, _ conditions: RunConditions) throws(CaptureError) -> PreRollRun {
    var settings = settings
    (settings.orientation, settings.device) = (conditions.orientation, device)
    let run = PreRollRun(
      settings, frameRate: conditions.frameRate, counters: counters,
      onFailure: { [self] in noteFailure(of: $0, $1) }, onSteady: { [self] in noteSuccess(of: $0) },
      onFinish: { [slots] in slots.giveBack() })
    try run.start()
    return run
  }

  /// Takes the failure of an encoder. That of a run which has ended already is only counted.
  private func noteFailure(of run: PreRollRun, _ error: CaptureError) {
    report.noteFailure(error.message, isFirst: state.withLock { $0.runs.noteFailure(of: run) })
  }

  private func noteSuccess(of run: PreRollRun) {
    report.noteSuccess(after: state.withLock { $0.runs.noteSuccess(of: run) })
  }
}

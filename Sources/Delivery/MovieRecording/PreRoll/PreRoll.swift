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
final class PreRoll: Sendable {
  /// The longest time before its request at which a recording may begin, in nanoseconds.
  static let maximumDuration: UInt64 = 60_000_000_000

  private struct State {
    /// The present run. It is ending only from a failure of its encoder until this is noted.
    var run: PreRollRun?
    var retry = RetryDelay()
    /// The nominal rate of the camera's frames.
    var frameRate = Rational(30, 1)
    var orientation = Orientation.asCaptured
    var audio: AudioHistory
    /// Whether frames are kept.
    var isOn = false
  }

  private let settings: RecordingSettings
  private let session: String
  private let counters: RecordingCounters
  private let slots: RunSlots
  private let logger: Logger
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
    self.session = session
    self.counters = counters
    self.slots = slots
    self.logger = logger
    state = Locked(State(audio: AudioHistory(duration: settings.maximumPreRoll + PreRollRun.slack)))
  }

  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { state.withLock { $0.run?.isBusy ?? false } }

  /// Keeps frames from the next one on.
  func goOn(frameRate: Rational?, orientation: Orientation = .asCaptured) {
    state.withLock { state in
      state.orientation = orientation
      state.isOn = true
      if let frameRate { state.frameRate = frameRate }
    }
  }

  /// Forgets what was kept, and keeps nothing until ``goOn(frameRate:orientation:)``. Recordings end with this reason.
  func pause(_ error: CaptureError) {
    state.withLock { state in
      state.isOn = false
      state.audio.clear()
      state.run?.end(error)
      state.run = nil
      state.retry.endDelay()
    }
  }

  /// Takes a frame, on the capture thread. A frame of another camera or format ends the recordings, and begins another
  /// history.
  func receive(_ captured: CapturedFrame) {
    let failure: (error: CaptureError, isFirst: Bool)? = state.withLock { state in
      guard state.isOn else { return nil }
      if let run = state.run {
        // The delay begins when the failure is noted.
        if run.isEnding { return nil }
        guard let obstacle = run.obstacle(for: captured) else {
          run.receive(captured)
          return nil
        }
        run.end(obstacle)
        state.run = nil
      }
      guard state.retry.allowsStart(at: captured.frame.time.monotonic), slots.take() else { return nil }
      do throws(CaptureError) {
        try begin(captured.device, &state).receive(captured)
        return nil
      } catch { return (error, state.retry.noteFailure()) }
    }
    if let failure { report(failure.error, failure.isFirst) }
  }

  /// Takes sound of an input, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String) {
    let shortened = state.withLock { state in
      guard state.isOn else { return 0 }
      state.run?.receive(block, of: input)
      return state.audio.add(block, of: input)
    }
    counters.count(historySoundLost: shortened)
  }

  /// Starts a recording.
  ///
  /// - Throws: `processingFailed` when the system gives no thread, and while the encoder does not answer.
  func record(to destination: MovieDestination, _ settings: RecordingSettings) throws(CaptureError) -> MovieRecorder {
    try state.withLock { state throws(CaptureError) in
      let run: PreRollRun
      if let running = state.run, !running.isEnding {
        run = running
      } else {
        guard slots.take() else { throw Self.doesNotAnswer }
        run = try begin(settings.device, &state)
      }
      var settings = settings
      settings.device = run.device
      guard run.recordingCount < SampleMaker.waitingFlushes else { throw Self.doesNotAnswer }
      let feed = PreRollFeed(of: run)
      let recorder = MovieRecorder(to: destination, settings: settings, samples: feed, counters: counters)
      try recorder.start()
      // The sound waits for its frames, which come next.
      if settings.preRoll != nil {
        for (block, input) in state.audio.blocks { recorder.receive(block, of: input, from: .preRoll) }
      }
      run.attach(recorder, feed, from: settings.preRoll.map(\.start))
      return recorder
    }
  }

  private static let doesNotAnswer = CaptureError(
    .processingFailed, "The encoder of the movie output does not answer; try again, or restart the daemon.")

  /// Begins a run of this camera. The caller has taken a slot for it.
  private func begin(_ device: String, _ state: inout State) throws(CaptureError) -> PreRollRun {
    var settings = settings
    (settings.orientation, settings.device) = (state.orientation, device)
    let run = PreRollRun(
      settings, frameRate: state.frameRate, counters: counters,
      onFailure: { [self] in noteFailure(of: $0, $1) }, onSteady: { [self] in noteSuccess(of: $0) },
      onFinish: { [slots] in slots.giveBack() })
    do throws(CaptureError) { try run.start() } catch {
      slots.giveBack()
      throw error
    }
    state.run = run
    state.retry.endDelay()
    return run
  }

  /// Takes the failure of an encoder. That of a run which has ended already is only counted: it says nothing of the
  /// present one.
  private func noteFailure(of run: PreRollRun, _ error: CaptureError) {
    let isFirst = state.withLock { state in
      guard state.run === run else { return false }
      state.run = nil
      return state.retry.noteFailure()
    }
    report(error, isFirst)
  }

  /// Counts all failures, and logs the first one in a row.
  private func report(_ error: CaptureError, _ isFirst: Bool) {
    counters.countPreRollFailure()
    guard isFirst else { return }
    logger.warning(
      "The encoder for the pre-roll of the session failed, and begins again by itself.",
      metadata: ["session": "\(session)", "error": "\(error.message)"])
  }

  private func noteSuccess(of run: PreRollRun) {
    let failures = state.withLock { state in state.run === run ? state.retry.noteSuccess() : 0 }
    guard failures > 0 else { return }
    logger.notice(
      "The encoder for the pre-roll of the session went on.",
      metadata: ["session": "\(session)", "failures": "\(failures)"])
  }
}

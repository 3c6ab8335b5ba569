internal import CaptureCore
internal import Logging
internal import Synchronization
internal import SystemClocks

/// Records an output whenever its session runs, in segments, without a client. Thread-safe.
///
/// After a failure it tries again by itself, at first after a second and then ever more rarely.
public final class ContinuousRecorder: Sendable {
  /// The most runs whose files are not complete. While a disk hangs, no more of them begin.
  private static let maximumRuns = 2

  private struct State {
    var store: RecordingStore?
    /// The newest run, which may be ending.
    var run: SegmentedRun?
    /// The runs whose files are not complete.
    var unfinished: [ObjectIdentifier: SegmentedRun] = [:]
    var retry = RetryDelay()
    /// The nominal rate of the camera's frames.
    var frameRate = Rational(30, 1)
    /// Whether frames are recorded.
    var isOn = false
    var isClosed = false
  }

  private let session: String
  private let output: String
  private let settings: ContinuousSettings
  private let segment: RecordingSettings
  private let counters: RecordingCounters
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameters:
  ///   - session: the id of the session.
  ///   - output: the id of the session's output.
  ///   - segment: how the output makes recordings, as far as `settings` says nothing else.
  init(
    session: String, output: String, _ settings: ContinuousSettings, _ segment: RecordingSettings,
    counters: RecordingCounters, logger: Logger
  ) {
    self.session = session
    self.output = output
    self.settings = settings
    self.segment = settings.applied(to: segment)
    self.counters = counters
    self.logger = logger
  }

  /// Takes the folder of recordings. Nothing is recorded before.
  func open(_ store: RecordingStore) { state.withLock { $0.store = store } }

  /// Whether frames are being recorded.
  var isRecording: Bool { state.withLock { $0.run.map { !$0.isEnding } ?? false } }

  /// Whether the recorder is closed and all its files are complete.
  var isOver: Bool { state.withLock { $0.isClosed && $0.unfinished.isEmpty } }

  /// Whether the next frame would have to be left out, unless the encoder is done with one until it comes.
  var isBusy: Bool { state.withLock { $0.run?.isBusy ?? false } }

  /// Records from the next frame on.
  func goOn(frameRate: Rational?) {
    state.withLock { state in
      state.isOn = true
      if let frameRate { state.frameRate = frameRate }
    }
  }

  /// Ends the present segment with this reason, and records nothing until ``goOn(frameRate:)``.
  func pause(_ error: CaptureError) {
    let run = state.withLock { state in
      state.isOn = false
      return state.run
    }
    run?.end(.session(error))
  }

  /// Ends the present segment with this reason, and records nothing any more.
  func close(_ error: CaptureError) {
    state.withLock { $0.isClosed = true }
    pause(error)
  }

  /// Takes a frame, on the capture thread. A frame of another format begins another run.
  func receive(_ captured: CapturedFrame) {
    let layout = captured.frame.layout
    let run = state.withLock { state -> SegmentedRun? in
      if let run = state.run, !run.isEnding {
        if run.layout.size == layout.size, run.layout.pixelFormat == layout.pixelFormat { return run }
        run.end(.session(.movieInterrupted(by: "the format changed")))
      }
      // The delay after a failure begins when the run is finished.
      if state.run?.hasFailed == true { return nil }
      return begin(with: captured.frame, &state)
    }
    run?.receive(captured)
  }

  /// Returns when no run is left whose files are not complete. The caller has closed the recorder.
  func finished() async {
    for run in state.withLock({ Array($0.unfinished.values) }) { await run.finished() }
  }

  private func begin(with frame: Frame, _ state: inout State) -> SegmentedRun? {
    guard let store = state.store, state.isOn, !state.isClosed, state.unfinished.count < Self.maximumRuns,
      state.retry.allowsStart(at: frame.time.monotonic)
    else { return nil }
    let plan = SegmentPlan(
      session: session, output: output, settings: segment, duration: settings.segmentDuration,
      retention: settings.retention, size: frame.layout.size)
    let run = SegmentedRun(
      SegmentDesk(plan, in: store), layout: frame.layout, frameRate: state.frameRate, counters: counters)
    do throws(CaptureError) {
      try run.start { [self, weak run] end, hasWritten in
        if let run { finish(run, end, hasWritten) }
      }
    } catch {
      noteFailure(.failed(error), &state)
      return nil
    }
    state.run = run
    state.unfinished[ObjectIdentifier(run)] = run
    return run
  }

  /// Takes the end of a run, on the thread that wrote it.
  private func finish(_ run: SegmentedRun, _ end: RecordingEnd, _ hasWritten: Bool) {
    state.withLock { state in
      state.unfinished[ObjectIdentifier(run)] = nil
      if state.run === run { state.run = nil }
      if hasWritten { noteSuccess(&state) }
      if end.isFailure { noteFailure(end, &state) }
    }
  }

  /// Logs the first failure in a row, and counts all.
  private func noteFailure(_ end: RecordingEnd, _ state: inout State) {
    counters.countFailure()
    state.retry.noteFailure()
    guard state.retry.failures == 1 else { return }
    let cause =
      if case .failed(let error) = end { error.message } else {
        "There is less free space than the session leaves to others, and no segment of it is left to delete."
      }
    logger.warning(
      "The continuous recording of the session failed, and tries again by itself.",
      metadata: ["session": "\(session)", "error": "\(cause)"])
  }

  private func noteSuccess(_ state: inout State) {
    if state.retry.failures > 0 {
      logger.notice(
        "The continuous recording of the session went on.",
        metadata: ["session": "\(session)", "failures": "\(state.retry.failures)"])
    }
    state.retry.noteSuccess()
  }
}

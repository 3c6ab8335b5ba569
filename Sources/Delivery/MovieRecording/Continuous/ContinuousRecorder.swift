internal import CaptureCore
internal import Locking
internal import Logging
internal import SystemClocks
internal import SystemFiles

/// Records an output whenever its session runs, in segments, without a client. Thread-safe.
///
/// After a failure it tries again by itself, at first after a second and then ever more rarely.
public final class ContinuousRecorder: Sendable {
  private struct State {
    var store: RecordingStore?
    /// The newest run, which may be ending.
    var run: SegmentedRun?
    /// The runs whose files are not complete.
    var unfinished: [ObjectIdentifier: SegmentedRun] = [:]
    var retry = RetryDelay()
    /// The nominal rate of the camera's frames.
    var frameRate = Rational(30, 1)
    var orientation = Orientation.asCaptured
    var audioTracks: [AudioConnection] = []
    /// Whether frames are recorded.
    var isOn = false
    var isClosed = false
  }

  /// The id of the session.
  let session: String
  /// The free space that the session's recordings leave to others, in bytes. 0 until the folder is open.
  var minimumFreeSpace: UInt64 {
    guard let limit = settings.retention.minimumFreeSpace else { return 0 }
    if case .bytes(let bytes) = limit { return bytes }
    return limit.bytes(of: state.withLock(\.store)?.folder.space?.total ?? 0)
  }
  private let output: String
  private let settings: ContinuousSettings
  private let segment: RecordingSettings
  private let counters: RecordingCounters
  private let slots: RunSlots
  private let logger: Logger
  private let state = Locked(State())

  /// - Parameters:
  ///   - session: the id of the session.
  ///   - output: the id of the session's output.
  ///   - segment: how the output makes recordings, as far as `settings` says nothing else.
  ///   - slots: what bounds the runs of the session.
  init(
    session: String, output: String, _ settings: ContinuousSettings, _ segment: RecordingSettings,
    counters: RecordingCounters, slots: RunSlots = RunSlots(), logger: Logger
  ) {
    self.session = session
    self.output = output
    self.settings = settings
    self.segment = settings.applied(to: segment)
    self.counters = counters
    self.slots = slots
    self.logger = logger
  }

  /// Takes the folder of recordings. Nothing is recorded before.
  func open(_ store: RecordingStore) {
    state.withLock { state in
      state.store = store
      state.retry.endDelay()
    }
  }

  /// Notes that the folder of recordings cannot be opened. Returns the time after which to try again, in nanoseconds.
  func noteMissingFolder(_ error: CaptureError) -> UInt64 {
    let (isFirst, delay) = state.withLock { state in
      let isFirst = state.retry.noteFailure()
      return (isFirst, state.retry.delay)
    }
    report(.failed(error), isFirst)
    return delay
  }

  /// Whether frames are being recorded.
  var isRecording: Bool { state.withLock { $0.run.map { !$0.isEnding } ?? false } }

  /// Whether the recorder is closed and all its files are complete.
  var isOver: Bool { state.withLock { $0.isClosed && $0.unfinished.isEmpty } }

  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { state.withLock { $0.run?.isBusy ?? false } }

  /// Records from the next frame on.
  func goOn(frameRate: Rational?, orientation: Orientation = .asCaptured, audioTracks: [AudioConnection] = []) {
    state.withLock { state in
      state.orientation = orientation
      state.audioTracks = audioTracks
      state.isOn = true
      if let frameRate { state.frameRate = frameRate }
    }
  }

  /// Ends the present segment with this reason, and records nothing until
  /// ``goOn(frameRate:orientation:audioTracks:)``.
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

  /// Takes a frame, on the capture thread. A frame of another camera or format begins another run.
  func receive(_ captured: CapturedFrame) {
    typealias Ended = (run: SegmentedRun, obstacle: CaptureError)
    let (ended, next, isNew) = state.withLock { state -> (Ended?, SegmentedRun?, Bool) in
      var ended: Ended?
      if let run = state.run, !run.isEnding {
        guard let obstacle = captured.subject.obstacle(after: run.subject) else { return (nil, run, false) }
        ended = (run, obstacle)
      }
      // The delay after a failure begins when the run is finished.
      if state.run?.hasFailed == true { return (nil, nil, false) }
      return (ended, makeRun(with: captured, &state), true)
    }
    if let ended { ended.run.end(.session(ended.obstacle)) }
    if let next, !isNew || start(next) { next.receive(captured) }
  }

  /// Takes sound of an input, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String) { state.withLock(\.run)?.receive(block, of: input) }

  /// Returns when no run is left whose files are not complete. The caller has closed the recorder.
  func finished() async {
    for run in state.withLock({ Array($0.unfinished.values) }) { await run.finished() }
  }

  private func makeRun(with captured: CapturedFrame, _ state: inout State) -> SegmentedRun? {
    let frame = captured.frame
    guard let store = state.store, state.isOn, !state.isClosed, state.retry.allowsStart(at: frame.time.monotonic),
      slots.take()
    else { return nil }
    var segment = segment
    segment.orientation = state.orientation
    segment.audioTracks = state.audioTracks
    segment.device = captured.device
    segment.takesCodedPictures = segment.mayPass(frame.layout)
    let plan = SegmentPlan(
      session: session, output: output, settings: segment, duration: settings.segmentDuration,
      retention: settings.retention, size: frame.layout.size)
    let run = SegmentedRun(
      SegmentDesk(plan, in: store), subject: captured.subject, frameRate: state.frameRate, counters: counters)
    state.run = run
    state.unfinished[ObjectIdentifier(run)] = run
    return run
  }

  /// Starts the threads of a run. Returns false when the system gives none.
  private func start(_ run: SegmentedRun) -> Bool {
    do throws(CaptureError) {
      try run.start(
        whenSteady: { [self, weak run] in
          if let run, state.withLock({ $0.run === run }) { noteSuccess() }
        },
        whenFinished: { [self, weak run] end, hasWritten in
          if let run { finish(run, end, hasWritten) }
        })
      return true
    } catch {
      finish(run, .failed(error), false)
      return false
    }
  }

  /// Takes the end of a run, mostly on the thread that wrote it.
  private func finish(_ run: SegmentedRun, _ end: RecordingEnd, _ hasWritten: Bool) {
    let (isPresent, isFirst) = state.withLock { state in
      state.unfinished[ObjectIdentifier(run)] = nil
      let isPresent = state.run === run
      if isPresent { state.run = nil }
      return (isPresent, end.isFailure && state.retry.noteFailure())
    }
    slots.giveBack()
    // A run that another one has followed says nothing of how that one goes on.
    if end.isFailure { report(end, isFirst) } else if hasWritten, isPresent { noteSuccess() }
  }

  /// Counts all failures, and logs the first one in a row.
  private func report(_ end: RecordingEnd, _ isFirst: Bool) {
    counters.countFailure()
    guard isFirst else { return }
    let cause =
      if case .failed(let error) = end { error.message } else {
        "There is less free space than the session leaves to others, and no segment of it is left to delete."
      }
    logger.warning(
      "The continuous recording of the session failed, and tries again by itself.",
      metadata: ["session": "\(session)", "error": "\(cause)"])
  }

  private func noteSuccess() {
    let failures = state.withLock { $0.retry.noteSuccess() }
    guard failures > 0 else { return }
    logger.notice(
      "The continuous recording of the session went on.",
      metadata: ["session": "\(session)", "failures": "\(failures)"])
  }
}

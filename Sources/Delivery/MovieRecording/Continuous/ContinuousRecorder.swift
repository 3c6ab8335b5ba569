internal import CaptureCore
internal import Locking
internal import Logging
internal import SystemClocks
internal import SystemFiles
public import VideoCoding

/// Records an output whenever its session runs, in segments, without a client. Thread-safe.
///
/// After a failure it tries again by itself, at first after a second and then ever more rarely.
public final class ContinuousRecorder: MovieMode {
  private struct State {
    var store: RecordingStore?
    var runs: RunSeries<SegmentedRun>
    /// The runs whose files are not complete.
    var unfinished: [ObjectIdentifier: SegmentedRun] = [:]
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
  private let report: RunReport
  private let state: Locked<State>

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
    report = RunReport(
      session: session, logger: logger,
      failed: "The continuous recording of the session failed, and tries again by itself.",
      resumed: "The continuous recording of the session has resumed.", count: { counters.countFailure() })
    state = Locked(State(runs: RunSeries(slots)))
  }

  /// Takes the folder of recordings. Nothing is recorded before.
  func open(_ store: RecordingStore) {
    state.withLock { state in
      state.store = store
      state.runs.endDelay()
    }
  }

  /// Notes that the folder of recordings cannot be opened. Returns the time after which to try again, in nanoseconds.
  func noteMissingFolder(_ error: CaptureError) -> UInt64 {
    let (isFirst, delay) = state.withLock { $0.runs.noteFailure() }
    report.noteFailure(error.message, isFirst: isFirst)
    return delay
  }

  var refusal: CaptureError? { recordsAlready }

  private var recordsAlready: CaptureError {
    CaptureError(
      .recordingInProgress,
      "Output \(output) records continuously, as the configuration file of the daemon says; its segments have all of "
        + "its frames.", metadata: ["session": session, "output": output])
  }

  /// Whether frames are being recorded.
  var isRecording: Bool { state.withLock(\.runs.isTaking) }

  /// Whether the recorder is closed and all its files are complete.
  var isOver: Bool { state.withLock { $0.isClosed && $0.unfinished.isEmpty } }

  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { state.withLock { $0.runs.run?.isBusy ?? false } }

  /// Records from the next frame on. Other sound than before begins another segment, because a file says once which
  /// tracks it has.
  func goOn(frameRate: Rational?, orientation: Orientation = .asCaptured, audioTracks: [AudioConnection] = []) {
    state.withLock { state in
      if state.runs.conditions.audioTracks != audioTracks {
        state.runs.pause(.movieInterrupted(by: "its sound changed"))
      }
      state.runs.goOn(frameRate: frameRate, orientation: orientation, audioTracks: audioTracks)
    }
  }

  /// Ends the present segment with this reason, and records nothing until
  /// ``goOn(frameRate:orientation:audioTracks:)``.
  @discardableResult
  func pause(_ error: CaptureError) -> (any MovieTarget)? {
    state.withLock { $0.runs.pause(error) }
    return nil
  }

  /// Ends the present segment with this reason, and records nothing any more.
  @discardableResult
  func close(_ error: CaptureError) -> (any MovieTarget)? {
    state.withLock { $0.isClosed = true }
    return pause(error)
  }

  /// Takes a frame, on the capture thread. A frame of another camera or format begins another run. The run's threads
  /// start under the lock, so that the next frame finds the run; what they tell the recorder waits for it.
  func receive(_ captured: CapturedFrame) {
    let step: RunSeries<SegmentedRun>.Step = state.withLock { state in
      guard let store = state.store, !state.isClosed else { return .leaveOut }
      var begun: SegmentedRun?
      let step = state.runs.take(captured) { conditions throws(CaptureError) in
        let run = try begin(with: captured, conditions, in: store)
        begun = run
        return run
      }
      if let begun { state.unfinished[ObjectIdentifier(begun)] = begun }
      return step
    }
    switch step {
    case .leaveOut: return
    case .give(let run): run.receive(captured)
    case .report(let error, let isFirst): report.noteFailure(error.message, isFirst: isFirst)
    }
  }

  /// Takes sound of an input, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String) { state.withLock(\.runs.run)?.receive(block, of: input) }

  func record(to _: MovieDestination, _: RecordingSettings) throws(CaptureError) -> MovieRecorder {
    throw recordsAlready
  }

  /// Returns when no run is left whose files are not complete. The caller has closed the recorder.
  func finished() async {
    for run in state.withLock({ Array($0.unfinished.values) }) { await run.finished() }
  }

  /// Makes a run and starts its threads.
  private func begin(
    with captured: CapturedFrame, _ conditions: RunConditions, in store: RecordingStore
  ) throws(CaptureError) -> SegmentedRun {
    let frame = captured.frame
    var segment = segment
    segment.orientation = conditions.orientation
    segment.sound.tracks = conditions.audioTracks
    segment.device = captured.device
    segment.pictures.takesCoded = segment.pictures.mayPass(frame.layout)
    let plan = SegmentPlan(
      session: session, output: output, settings: segment, duration: settings.segmentDuration,
      retention: settings.retention, size: frame.layout.size)
    let run = SegmentedRun(
      SegmentDesk(plan, in: store), of: captured, frameRate: conditions.frameRate, counters: counters)
    try run.start(
      whenSteady: { [self, weak run] in if let run { noteSuccess(of: run) } },
      whenFinished: { [self, weak run] end, hasWritten in if let run { finish(run, end, hasWritten) } })
    return run
  }

  private func noteSuccess(of run: SegmentedRun) {
    report.noteSuccess(after: state.withLock { $0.runs.noteSuccess(of: run) })
  }

  /// Takes the end of a run, on the thread that wrote it.
  private func finish(_ run: SegmentedRun, _ end: RecordingEnd, _ hasWritten: Bool) {
    let isFirst = state.withLock { state in
      state.unfinished[ObjectIdentifier(run)] = nil
      return end.isFailure && state.runs.noteFailure(of: run)
    }
    slots.giveBack()
    if end.isFailure {
      report.noteFailure(Self.cause(of: end), isFirst: isFirst)
    } else if hasWritten {
      noteSuccess(of: run)
    }
  }

  private static func cause(of end: RecordingEnd) -> String {
    if case .failed(let error) = end { return error.message }
    return "There is less free space than the session leaves to others, and no segment of it is left to delete."
  }
}

/// How a session records continuously. Durations are in nanoseconds.
public struct ContinuousSettings: Hashable, Sendable {
  /// The duration of a segment. A segment ends before a key frame that the encoder makes for it.
  public var segmentDuration: UInt64
  /// The format of the files. Nil, and a format that does not hold the output's codec, mean the usual one for the
  /// codec.
  public var container: MovieContainer?
  /// As ``RecordingSettings/fragmentInterval``.
  public var fragmentInterval: UInt64
  /// What the session keeps of its segments.
  public var retention: Retention

  /// Settings; by default segments of a minute, all of which are kept.
  public init(
    segmentDuration: UInt64 = 60_000_000_000, container: MovieContainer? = nil,
    fragmentInterval: UInt64 = RecordingSettings.standardFragmentInterval, retention: Retention = Retention()
  ) {
    self.segmentDuration = segmentDuration
    self.container = container
    self.fragmentInterval = fragmentInterval
    self.retention = retention
  }

  /// The settings of each segment of an output.
  func applied(to output: RecordingSettings) -> RecordingSettings {
    var settings = output
    settings.container =
      container.flatMap { $0.holds(output.pictures.codec) && $0.holds(output.sound.codec) ? $0 : nil }
      ?? MovieContainer.usual(for: output.pictures.codec, output.sound.codec)
    settings.fragmentInterval = min(fragmentInterval, segmentDuration)
    settings.limits = RecordingLimits()
    return settings
  }
}

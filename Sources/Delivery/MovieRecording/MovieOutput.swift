public import CaptureCore
internal import Locking
public import Logging
internal import Synchronization
internal import VideoCoding

/// Records movies of the camera's frames, one at a time. Thread-safe.
///
/// A recording ends when its session stops or is interrupted, when the output gets another camera, and when the camera
/// gives pictures of another format. Its file plays up to there. While the camera takes a still, the movie has a gap.
/// An output with a ``ContinuousRecorder`` records by itself whenever frames come, and starts no recordings for
/// clients. An output whose recordings may begin before their request encodes all frames, and keeps the newest ones
/// (``PreRoll``).
///
/// Locks are taken in this order: that of the output, that of its mode, that of a run, that of a recorder.
public final class MovieOutput: CaptureOutput {
  /// The output's id, which is unique in the session.
  public let id: String
  /// The settings of a recording for which a client asks for nothing else.
  public let settings: RecordingSettings
  private let sessionID: String
  /// What the output does with its frames.
  private let mode: any MovieMode
  /// Whether the library of the encoder is loaded.
  private let isPrepared = Atomic(false)
  /// The id of the newest frame's stream; 0 before the first frame.
  private let stream = Atomic<UInt64>(0)
  private let state: Locked<State>

  private struct State {
    var conditions = OutputConditions() {
      didSet { gate.expect(conditions.revision) }
    }
    var gate = RevisionGate()
    /// The camera whose frames came last, or that the newest conditions name.
    var shownDevice = ""
    /// The session's calls; nil once the output is closed.
    var context: (any OutputContext)?
    /// Why the output is closed.
    var closed: CaptureError?

    /// Takes over what the session says. Returns whether the output shows another camera from now on.
    ///
    /// While a commit may still fail, frames of the new camera may have come, and the conditions name the former one.
    /// When it has failed, the revision is a lower one again.
    mutating func take(_ next: OutputConditions) -> Bool {
      let namesCamera = next.device != conditions.device || next.revision < conditions.revision
      conditions = next
      guard namesCamera, shownDevice != next.device else { return false }
      shownDevice = next.device
      return true
    }

    /// Whether a frame is not one of a former camera, whose thread was on its way here with it during a commit.
    mutating func takes(_ frame: CapturedFrame) -> Bool {
      if frame.device != conditions.device, frame.configRevision < conditions.revision { return false }
      guard gate.passes(frame) else { return false }
      shownDevice = frame.device
      return true
    }
  }

  /// Makes an output without a recording.
  ///
  /// - Parameters:
  ///   - id: as ``id``.
  ///   - session: the id of the session.
  ///   - context: runs deferred start for recordings; nil for an output that has none. Retained until ``close(_:)``.
  ///   - settings: as ``settings``.
  ///   - counters: count what all recordings write and lose.
  ///   - continuous: records the output without a client; see ``Recordings/recordContinuously(_:output:of:_:logger:)``.
  ///   - logger: takes the failures of the encoder for a pre-roll.
  public init(
    id: String, session: String, context: (any OutputContext)? = nil, settings: RecordingSettings,
    counters: RecordingCounters = RecordingCounters(), continuous: ContinuousRecorder? = nil, logger: Logger
  ) {
    state = Locked(State(context: context))
    self.id = id
    sessionID = session
    self.settings = settings
    let counters = counters.of("sessions/\(session)")
    if let continuous {
      mode = continuous
    } else if settings.maximumPreRoll > 0 {
      mode = PreRoll(settings, session: session, counters: counters, logger: logger)
    } else {
      mode = RequestedMovies(counters)
    }
  }

  /// Whether frames are being recorded.
  public var isRecording: Bool { mode.isRecording }

  /// Whether the output records by itself, and frames are being recorded.
  public var isRecordingContinuously: Bool { mode.refusal != nil && mode.isRecording }

  /// Whether a recording that starts now has sound.
  public var recordsSound: Bool { state.withLock { !$0.conditions.audio.isEmpty } }

  /// Loads the library of the encoder, on a thread of its own, so that the first recording begins without delay.
  ///
  /// - Throws: `formatNotSupported` when no encoder is installed, `processingFailed` when the system cannot create a
  ///   thread.
  public func prepare() async throws(CaptureError) {
    let codec = settings.pictures.codec
    guard try await WorkerThread.run(name: "movie-load", { codec.isAvailable && MovieContainer.isAvailable }) else {
      throw CaptureError(
        .formatNotSupported,
        "Movies in \(codec) cannot be made on this machine; install FFmpeg's libavcodec and libavformat.",
        metadata: ["output": id, "codec": codec.rawValue])
    }
    isPrepared.store(true, ordering: .releasing)
  }

  /// Runs deferred start when the output or its camera waits for it, and returns when that is over. Recordings and
  /// writers begin then, as photos do.
  ///
  /// - Throws: `sessionNotRunning`, `notSupportedInConfiguration`, `recordingInProgress` when nothing could begin
  ///   afterwards; why the output cannot be prepared; once closed, the error that closed the output.
  public func awaitDeferredStart() async throws(CaptureError) {
    let (context, waitsForCamera) = try state.withLock { state throws(CaptureError) in
      try check(state, beforeDeferredStart: true)
      return (state.context, state.conditions.status.awaitsDeferredStart)
    }
    guard let context, waitsForCamera || !isPrepared.load(ordering: .acquiring) else { return }
    do throws(CaptureError) { try await context.runDeferredStartIfNeeded(opensCameras: waitsForCamera) } catch {
      // The failure of another output is none of this one.
      if !isPrepared.load(ordering: .acquiring) { throw error }
    }
  }

  /// Ends the recording when no frames of its stream will come any more.
  public func update(_ conditions: OutputConditions) {
    let obstacle = Self.end(under: conditions)
    let orientation = conditions.connection.orientation
    let ended: (target: any MovieTarget, reason: CaptureError)? = state.withLock { state in
      var reason = obstacle
      let isTurned = state.conditions.connection.orientation != orientation
      if state.take(conditions) { reason = reason ?? .otherCamera }
      // A file says once how its pictures are turned.
      if isTurned { reason = reason ?? .movieInterrupted(by: "its pictures are turned otherwise") }
      let target = reason.flatMap { mode.pause($0) }
      if obstacle == nil {
        mode.goOn(
          frameRate: conditions.expectedFrameRate, orientation: orientation, audioTracks: conditions.audio)
      }
      guard let target, let reason else { return nil }
      return (target, reason)
    }
    if let ended { ended.target.end(.session(ended.reason)) }
  }

  /// Gives the frame to the recording, on the capture thread.
  public func receive(_ frame: CapturedFrame) {
    guard state.withLock({ $0.takes(frame) }) else { return }
    let last = stream.exchange(frame.frame.streamID, ordering: .relaxed)
    mode.receive(last == 0 || last == frame.frame.streamID ? frame : frame.afterAnotherStream)
  }

  /// Gives sound to the recording, on the thread that captures it.
  public func receive(_ block: AudioBlock, of input: String) { mode.receive(block, of: input) }

  /// Ends the recording.
  public func close(_ error: CaptureError) {
    let target: (any MovieTarget)? = state.withLock { state in
      (state.closed, state.context) = (error, nil)
      return mode.close(error)
    }
    target?.end(.session(error))
  }

  /// The size of the pictures that the camera gives now. Empty without a camera.
  var pictureSize: Size { state.withLock { $0.conditions.expectedLayout?.size } ?? Size(width: 0, height: 0) }

  /// Checks that a recording with these settings could start once deferred start has run.
  ///
  /// - Throws: as ``record(to:_:)``.
  func checkMayRecord(_ settings: RecordingSettings) throws(CaptureError) {
    try state.withLock { state throws(CaptureError) in try check(settings, state, beforeDeferredStart: true) }
  }

  /// Starts a recording.
  ///
  /// - Throws: `sessionNotRunning`; `notSupportedInConfiguration` while the connection is disabled, and for a container
  ///   that cannot hold the output's codec, and for a pre-roll of an output that keeps none; `recordingInProgress`;
  ///   `processingFailed` when the system cannot create a thread, or the encoder does not answer; once closed, the
  ///   error that closed the output. What goes wrong later is in the events.
  func record(to destination: MovieDestination, _ settings: RecordingSettings) throws(CaptureError) -> MovieRecorder {
    try state.withLock { state throws(CaptureError) in
      try check(settings, state)
      var settings = settings
      settings.sound.tracks = state.conditions.audio
      settings.device = state.shownDevice
      settings.orientation = state.conditions.connection.orientation
      settings.pictures.takesCoded = state.conditions.expectedLayout.map(settings.pictures.mayPass) ?? false
      return try mode.record(to: destination, settings)
    }
  }

  /// Gives frames and sound to a writer from now on.
  ///
  /// - Parameters:
  ///   - size: the size of the pictures that the writer takes.
  ///   - needsJPEG: whether the writer takes only JPEG.
  /// - Throws: `sessionNotRunning`; `recordingInProgress`; `notSupportedInConfiguration` for an output that keeps
  ///   pictures for a pre-roll or turns them, or whose frames the writer does not take; once closed, the error that
  ///   closed the output.
  func attach(_ target: some MovieTarget, size: Size, needsJPEG: Bool) throws(CaptureError) {
    try state.withLock { state throws(CaptureError) in
      _ = try layoutToAttach(size: size, needsJPEG: needsJPEG, state)
      mode.attach(target, of: state.shownDevice)
    }
  }

  /// Returns how the frames lie in memory that a writer would get.
  ///
  /// - Throws: as ``attach(_:size:needsJPEG:)``.
  func checkMayAttach(size: Size, needsJPEG: Bool) throws(CaptureError) -> FrameLayout {
    try state.withLock { state throws(CaptureError) in
      try layoutToAttach(size: size, needsJPEG: needsJPEG, state)
    }
  }

  private func layoutToAttach(size: Size, needsJPEG: Bool, _ state: State) throws(CaptureError) -> FrameLayout {
    try check(state)
    if mode.keepsFrames { throw cannotAttach("keeps a pre-roll; configure it without max_pre_roll_duration") }
    let conditions = state.conditions
    guard conditions.connection.orientation == .asCaptured else {
      throw cannotAttach("turns its pictures; connect it without rotation and mirroring")
    }
    guard let layout = conditions.expectedLayout, layout.size == size, !needsJPEG || layout.pixelFormat.isJPEG else {
      let given = conditions.expectedLayout.map { "\($0.size) in \($0.pixelFormat)" } ?? "nothing"
      throw cannotAttach("gives \(given), which the video input does not take; configure both alike")
    }
    return layout
  }

  /// Lets go of a writer that takes no more frames, and of its memory.
  func letGo() { mode.letGo() }

  private func cannotAttach(_ why: String) -> CaptureError {
    CaptureError(
      .notSupportedInConfiguration, "The movie output \(id) \(why).", metadata: ["session": sessionID, "output": id],
      field: "output")
  }

  private func check(
    _ settings: RecordingSettings, _ state: State, beforeDeferredStart: Bool = false
  ) throws(CaptureError) {
    try check(state, beforeDeferredStart: beforeDeferredStart)
    guard settings.container.holds(settings.pictures.codec) else { throw Self.cannotHold(settings) }
    guard state.conditions.audio.isEmpty || settings.container.holds(settings.sound.codec) else {
      throw Self.cannotHoldSound(settings)
    }
    guard settings.preRoll == nil || mode.keepsFrames else { throw keepsNothing }
  }

  /// Checks that the output has frames, or will have them after deferred start, and that nobody else records them.
  private func check(_ state: State, beforeDeferredStart: Bool = false) throws(CaptureError) {
    if let closed = state.closed { throw closed }
    if let refusal = mode.refusal { throw refusal }
    let conditions = state.conditions
    guard conditions.status.state == .running, beforeDeferredStart || !conditions.status.awaitsDeferredStart else {
      throw CaptureError.noFrames(of: id, conditions.status, in: sessionID)
    }
    guard conditions.connection.isEnabled else {
      throw CaptureError(
        .notSupportedInConfiguration,
        "The connection of the movie output \(id) is disabled; enable it to record.", metadata: ["output": id])
    }
    if mode.isRecording { throw inProgress }
  }

  /// Why a recording cannot go on under these conditions; nil when it can.
  private static func end(under conditions: OutputConditions) -> CaptureError? {
    if conditions.status.state != .running { return .movieInterrupted(by: conditions.status) }
    return conditions.connection.isEnabled ? nil : .movieInterrupted(by: "its connection was disabled")
  }

  private static func cannotHold(_ settings: RecordingSettings) -> CaptureError {
    let codec = settings.pictures.codec
    let able = MovieContainer.allCases.filter { $0.holds(codec) }.map(\.rawValue).joined(separator: ", ")
    return CaptureError(
      .notSupportedInConfiguration,
      "A file in \(settings.container) does not hold \(codec); name one of these containers: \(able).",
      metadata: ["container": settings.container.rawValue, "codec": codec.rawValue, "available": able],
      field: "container")
  }

  private static func cannotHoldSound(_ settings: RecordingSettings) -> CaptureError {
    let able = MovieContainer.allCases.filter { $0.holds(settings.pictures.codec) && $0.holds(settings.sound.codec) }
      .map(\.rawValue).joined(separator: ", ")
    return CaptureError(
      .notSupportedInConfiguration,
      "A file in \(settings.container) does not hold sound in \(settings.sound.codec); name one of these containers: "
        + "\(able).",
      metadata: [
        "container": settings.container.rawValue, "codec": settings.sound.codec.rawValue, "available": able,
      ], field: "container")
  }

  private var keepsNothing: CaptureError {
    CaptureError(
      .notSupportedInConfiguration,
      "The movie output \(id) keeps nothing from before a request; configure it with a max_pre_roll_duration.",
      metadata: ["output": id], field: "pre_roll_duration")
  }

  private var inProgress: CaptureError {
    CaptureError(
      .recordingInProgress, "Output \(id) is recording already; stop that recording before you start another.",
      metadata: ["session": sessionID, "output": id])
  }
}

extension CapturedFrame {
  /// The first frame of another stream, with one lost frame more. Like readers of frames, movies count one for each new
  /// stream, because nobody knows how many frames the camera would have had meanwhile.
  fileprivate var afterAnotherStream: CapturedFrame {
    var missing = frame.missing
    missing += DropCounts(discontinuity: 1)
    return with(frame.with(missing: missing))
  }
}

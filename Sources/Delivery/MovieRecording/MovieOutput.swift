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
public final class MovieOutput: CaptureOutput {
  /// The output's id, which is unique in the session.
  public let id: String
  /// The settings of a recording for which a client asks for nothing else.
  public let settings: RecordingSettings
  private let sessionID: String
  private let counters: RecordingCounters
  private let continuous: ContinuousRecorder?
  /// Nil when recordings begin with the next frame, and with a continuous recording, which has all frames.
  private let preRoll: PreRoll?
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
    /// The newest recording, or the writer that is attached. Either may have ended.
    var recorder: (any MovieTarget)?
    /// The camera that ``recorder`` records.
    var recordedDevice = ""
    /// What the recording's first frame shows.
    var subject: MovieSubject?
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

    /// Lets a recorder have the next frames.
    mutating func begin(_ recorder: any MovieTarget) {
      (self.recorder, recordedDevice, subject) = (recorder, shownDevice, nil)
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
    self.counters = counters
    self.continuous = continuous
    let keepsFrames = settings.maximumPreRoll > 0 && continuous == nil
    preRoll = keepsFrames ? PreRoll(settings, session: session, counters: counters, logger: logger) : nil
  }

  /// Whether frames are being recorded.
  public var isRecording: Bool {
    if let continuous { return continuous.isRecording }
    return state.withLock { $0.recorder.map { !$0.isEnding } ?? false }
  }

  /// Whether the output records by itself, and frames are being recorded.
  public var isRecordingContinuously: Bool { continuous?.isRecording ?? false }

  /// Whether a recording that starts now has sound.
  public var recordsSound: Bool { state.withLock { !$0.conditions.audio.isEmpty } }

  /// Loads the library of the encoder, on a thread of its own, so that the first recording begins without delay.
  ///
  /// - Throws: `formatNotSupported` when no encoder is installed, `processingFailed` when the system gives no thread.
  public func prepare() async throws(CaptureError) {
    let codec = settings.codec
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
    let error = Self.end(under: conditions)
    let orientation = conditions.connection.orientation
    let (recorder, change, hasOtherSound) = state.withLock { state in
      let isTurned = state.conditions.connection.orientation != orientation
      let hasOtherSound = state.conditions.audio != conditions.audio
      var change: CaptureError?
      if state.take(conditions) { change = .otherCamera }
      // A file says once how its pictures are turned.
      if isTurned { change = change ?? .movieInterrupted(by: "its pictures are turned otherwise") }
      return (state.recorder, change, hasOtherSound)
    }
    if let error = error ?? change {
      recorder?.end(.session(error))
      continuous?.pause(error)
      preRoll?.pause(error)
    } else if hasOtherSound {
      // A file says once which tracks it has. A recording keeps those that it began with.
      continuous?.pause(.movieInterrupted(by: "its sound changed"))
    }
    guard error == nil else { return }
    continuous?.goOn(
      frameRate: conditions.expectedFrameRate, orientation: orientation, audioTracks: conditions.audio)
    preRoll?.goOn(frameRate: conditions.expectedFrameRate, orientation: orientation)
  }

  /// Gives the frame to the recording, on the capture thread.
  public func receive(_ frame: CapturedFrame) {
    guard state.withLock({ $0.takes(frame) }) else { return }
    let last = stream.exchange(frame.frame.streamID, ordering: .relaxed)
    let frame = last == 0 || last == frame.frame.streamID ? frame : frame.afterAnotherStream
    if let continuous { return continuous.receive(frame) }
    if let preRoll { return preRoll.receive(frame) }
    let found: (recorder: any MovieTarget, obstacle: CaptureError?)? = state.withLock { state in
      guard let recorder = state.recorder else { return nil }
      let first = state.subject ?? MovieSubject(device: state.recordedDevice, layout: frame.frame.layout)
      state.subject = first
      return (recorder, frame.subject.obstacle(after: first))
    }
    guard let (recorder, obstacle) = found else { return }
    if let obstacle { recorder.end(.session(obstacle)) } else { recorder.receive(frame) }
  }

  /// Gives sound to the recording, on the thread that captures it.
  public func receive(_ block: AudioBlock, of input: String) {
    if let continuous { return continuous.receive(block, of: input) }
    if let preRoll { return preRoll.receive(block, of: input) }
    state.withLock(\.recorder)?.receive(block, of: input)
  }

  /// Ends the recording.
  public func close(_ error: CaptureError) {
    let recorder = state.withLock { state in
      (state.closed, state.context) = (error, nil)
      return state.recorder
    }
    recorder?.end(.session(error))
    continuous?.close(error)
    preRoll?.pause(error)
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
  ///   that cannot hold the output's codec, and for a pre-roll of an output that keeps none;
  ///   `recordingInProgress`; `processingFailed` when the system gives no thread, or the encoder does not answer;
  ///   once closed, the error that closed the output. What goes wrong later is in the events.
  func record(to destination: MovieDestination, _ settings: RecordingSettings) throws(CaptureError) -> MovieRecorder {
    try state.withLock { state throws(CaptureError) in
      try check(settings, state)
      var settings = settings
      settings.audioTracks = state.conditions.audio
      settings.device = state.shownDevice
      let recorder =
        if let preRoll { try preRoll.record(to: destination, settings) } else {
          try recordAlone(to: destination, settings, state.conditions)
        }
      state.begin(recorder)
      return recorder
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
      state.begin(target)
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
    if preRoll != nil { throw cannotAttach("keeps a pre-roll; configure it without max_pre_roll_duration") }
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

  /// Lets go of a recording or a writer that takes no more frames, and of its memory.
  func letGo() {
    let ended: (any MovieTarget)? = state.withLock { state in
      guard let recorder = state.recorder, recorder.isEnding else { return nil }
      (state.recorder, state.subject) = (nil, nil)
      return recorder
    }
    // It is freed without the lock.
    withExtendedLifetime(ended) {}
  }

  private func cannotAttach(_ why: String) -> CaptureError {
    CaptureError(
      .notSupportedInConfiguration, "The movie output \(id) \(why).", metadata: ["session": sessionID, "output": id],
      field: "output")
  }

  /// Starts a recording that has an encoder of its own.
  private func recordAlone(
    to destination: MovieDestination, _ settings: RecordingSettings, _ conditions: OutputConditions
  ) throws(CaptureError) -> MovieRecorder {
    var settings = settings
    settings.orientation = conditions.connection.orientation
    settings.takesCodedPictures = conditions.expectedLayout.map(settings.mayPass) ?? false
    let recorder = MovieRecorder(
      to: destination, settings: settings, frameRate: conditions.expectedFrameRate ?? Rational(30, 1),
      counters: counters)
    try recorder.start()
    return recorder
  }

  private func check(
    _ settings: RecordingSettings, _ state: State, beforeDeferredStart: Bool = false
  ) throws(CaptureError) {
    try check(state, beforeDeferredStart: beforeDeferredStart)
    guard settings.container.holds(settings.codec) else { throw Self.cannotHold(settings) }
    guard state.conditions.audio.isEmpty || settings.container.holds(settings.audioCodec) else {
      throw Self.cannotHoldSound(settings)
    }
    guard settings.preRoll == nil || preRoll != nil else { throw keepsNothing }
  }

  /// Checks that the output has frames, or will have them after deferred start, and that nobody else records them.
  private func check(_ state: State, beforeDeferredStart: Bool = false) throws(CaptureError) {
    if let closed = state.closed { throw closed }
    if continuous != nil { throw recordsContinuously }
    let conditions = state.conditions
    guard conditions.status.state == .running, beforeDeferredStart || !conditions.status.awaitsDeferredStart else {
      throw CaptureError.noFrames(of: id, conditions.status, in: sessionID)
    }
    guard conditions.connection.isEnabled else {
      throw CaptureError(
        .notSupportedInConfiguration,
        "The connection of the movie output \(id) is disabled; enable it to record.", metadata: ["output": id])
    }
    if let recorder = state.recorder, !recorder.isEnding { throw inProgress }
  }

  /// Why a recording cannot go on under these conditions; nil when it can.
  private static func end(under conditions: OutputConditions) -> CaptureError? {
    if conditions.status.state != .running { return .movieInterrupted(by: conditions.status) }
    return conditions.connection.isEnabled ? nil : .movieInterrupted(by: "its connection was disabled")
  }

  private static func cannotHold(_ settings: RecordingSettings) -> CaptureError {
    let able = MovieContainer.allCases.filter { $0.holds(settings.codec) }.map(\.rawValue).joined(separator: ", ")
    return CaptureError(
      .notSupportedInConfiguration,
      "A file in \(settings.container) does not hold \(settings.codec); name one of these containers: \(able).",
      metadata: ["container": settings.container.rawValue, "codec": settings.codec.rawValue, "available": able],
      field: "container")
  }

  private static func cannotHoldSound(_ settings: RecordingSettings) -> CaptureError {
    let able = MovieContainer.allCases.filter { $0.holds(settings.codec) && $0.holds(settings.audioCodec) }
      .map(\.rawValue).joined(separator: ", ")
    return CaptureError(
      .notSupportedInConfiguration,
      "A file in \(settings.container) does not hold sound in \(settings.audioCodec); name one of these containers: "
        + "\(able).",
      metadata: [
        "container": settings.container.rawValue, "codec": settings.audioCodec.rawValue, "available": able,
      ], field: "container")
  }

  private var recordsContinuously: CaptureError {
    CaptureError(
      .recordingInProgress,
      "Output \(id) records continuously, as the configuration file of the daemon says; its segments have all of its "
        + "frames.", metadata: ["session": sessionID, "output": id])
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

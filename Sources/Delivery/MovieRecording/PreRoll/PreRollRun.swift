internal import CaptureCore
internal import Locking
internal import SystemClocks
internal import VideoCoding

/// The pre-roll of an output from a first frame until the session stops, the camera or the format changes, or the
/// encoder fails. One encoder codes all frames, for the history and for the recordings that share it. Thread-safe.
///
/// Locks are taken in this order: that of the run, that of a recorder.
final class PreRollRun: FrameRun {
  /// The longest time from one key frame to the next, in nanoseconds.
  static let keyFrameInterval: UInt64 = 1_000_000_000
  /// How much longer than a client may ask the history reaches back, in nanoseconds: what may pass between the request
  /// and the start of a recording on a slow disk.
  static let slack: UInt64 = 2_000_000_000
  /// The most bytes of a history.
  static let maximumBytes = 256 << 20

  private struct Client {
    let recorder: MovieRecorder
    let feed: PreRollFeed
    var picks: PreRollPicks
  }

  private struct State {
    var history: SampleHistory
    var losses = DropLedger()
    /// The time stamps of the first and the newest frame.
    var start, newest: MonotonicInstant?
    /// The frames whose samples have not come.
    var pending: [PreRollFrame] = []
    var cuts = MovieCuts(every: PreRollRun.keyFrameInterval)
    var recordings: [Client] = []
    var subject: MovieSubject
    var isEnding = false
    /// Whether the encoder failed before anything else ended the run.
    var hasFailed = false
    /// Whether ``RetryDelay/steadyDuration`` of the run is coded.
    var isSteady = false
    var failure: CaptureError?
  }

  /// The camera whose frames the run has, as ``CapturedFrame/device``.
  let device: String
  private let codec: MovieCodec
  private let counters: RecordingCounters
  /// Memory for the samples: those of the history, as many again for recordings that still write what the history has
  /// given up, and those on their way.
  private let pool = FramePool(budget: 2 * maximumBytes + 2 * SampleBacklog.waitingBytes)
  private let target = Target()
  private let maker: SampleMaker
  private let onFailure: @Sendable (PreRollRun, CaptureError) -> Void
  private let onSteady: @Sendable (PreRollRun) -> Void
  private let onFinish: @Sendable () -> Void
  private let state: Locked<State>

  /// - Parameters:
  ///   - settings: how the output codes its pictures, of which camera, and how far back a recording may begin.
  ///   - onFailure: called once when the encoder fails, on its thread.
  ///   - onSteady: called once when ``RetryDelay/steadyDuration`` of the run is coded, on the thread of the encoder.
  ///   - onFinish: called once when the encoder has ended, on its thread.
  init(
    _ settings: RecordingSettings, frameRate: Rational, counters: RecordingCounters,
    onFailure: @escaping @Sendable (PreRollRun, CaptureError) -> Void,
    onSteady: @escaping @Sendable (PreRollRun) -> Void, onFinish: @escaping @Sendable () -> Void
  ) {
    var settings = settings
    settings.fragmentInterval = Self.keyFrameInterval
    (device, codec) = (settings.device, settings.pictures.codec)
    self.counters = counters
    (self.onFailure, self.onSteady, self.onFinish) = (onFailure, onSteady, onFinish)
    maker = SampleMaker(settings, frameRate: frameRate, shared: (target, pool))
    state = Locked(
      State(
        history: SampleHistory(duration: settings.maximumPreRoll + Self.slack, maximumBytes: Self.maximumBytes),
        subject: MovieSubject(of: settings.device)))
  }

  /// Starts the encoder, which runs until ``end(_:)``.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func start() throws(CaptureError) {
    target.run.withLock { $0 = self }
    do throws(CaptureError) { try maker.start(for: self) } catch {
      target.run.withLock { $0 = nil }
      throw error
    }
  }

  var period: UInt64 { maker.period }
  var isBusy: Bool { maker.isBusy }
  /// Whether the run takes no more frames.
  var isEnding: Bool { state.withLock(\.isEnding) }
  /// Whether a failure of the encoder ended the run.
  var hasFailed: Bool { state.withLock(\.hasFailed) }
  /// The number of recordings whose samples have not all come.
  var recordingCount: Int { state.withLock(\.recordings.count) }

  /// Why a frame cannot follow the ones before. Nil when it can.
  func obstacle(for frame: CapturedFrame) -> CaptureError? { state.withLock(\.subject).obstacle(for: frame) }

  /// Takes a frame, on the capture thread.
  func receive(_ captured: CapturedFrame) {
    let frame = captured.frame
    let stamp = frame.time.monotonic
    let refused = maker.refusal(of: frame)
    let loan = FrameLoan(frame.buffer)
    state.withLock { state in
      guard !state.isEnding else { return }
      let isNewer = state.newest.map { $0 < stamp } ?? true
      let last = isNewer ? stamp : state.newest ?? stamp
      let time = last.nanoseconds(since: state.start ?? last)
      let isFull = state.recordings.contains { $0.feed.samples.isFull }
      let refusal = refused ?? (isFull || !isNewer ? DropCounts(late: 1) : nil)
      var isKeyFrame = state.cuts.isDue(at: time, lasting: period)
      // The recorders note the frame first, because its sample may come at once.
      for index in state.recordings.indices {
        guard let movieTime = state.recordings[index].recorder.place(frame, refusal: refusal) else { continue }
        if state.recordings[index].picks.expect(time, at: movieTime, lasting: period) { isKeyFrame = true }
      }
      // What the camera lost lies before the frame.
      if state.start != nil { state.losses.add(frame.missing, at: max(time, 1) - 1) }
      if let refusal { return state.losses.add(refusal, at: time) }
      if state.start == nil { (state.start, state.subject) = (stamp, MovieSubject(captured)) }
      state.newest = stamp
      if isKeyFrame { state.cuts.begin(at: time) }
      state.pending.append(PreRollFrame(time: time, isKeyFrame: isKeyFrame || codec.hasOnlyKeyFrames))
      maker.put(captured, at: time, loan, forcesKeyFrame: isKeyFrame)
    }
  }

  /// Gives sound to the recordings, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String) {
    for recorder in state.withLock({ $0.recordings.map(\.recorder) }) { recorder.receive(block, of: input) }
  }

  /// Gives frames to a recording from now on, and before that the frames of the history from a time on.
  ///
  /// - Parameter start: the first frame from this time on is wanted; nil for no frame of the history.
  func attach(_ recorder: MovieRecorder, _ feed: PreRollFeed, from start: MonotonicInstant?) {
    state.withLock { state in
      if let failure = state.failure {
        recorder.encodingFailed(failure)
        return feed.samples.end(failure)
      }
      // Its file has failed already. The encoder ends its samples, and would not find it again.
      guard !recorder.isEnding else { return }
      var picks = PreRollPicks(fragmentInterval: recorder.settings.fragmentInterval)
      defer { state.recordings.append(Client(recorder: recorder, feed: feed, picks: picks)) }
      guard let start, let first = state.start else { return }
      let coded = state.history.samples
      let frames =
        coded.map { PreRollFrame(time: $0.presentationTime, isKeyFrame: $0.isKeyFrame) } + state.pending
      let wanted = start > first ? start.nanoseconds(since: first) : 0
      guard let number = PreRollFrame.first(of: frames, from: wanted) else { return }
      let times = recorder.takePast(frames[number...].map { first + $0.time })
      guard let last = times.lastIndex(where: { $0 != nil }) else { return }
      // A movie that ends within the history does not lack what was lost later.
      let end = last == times.indices.last ? .max : frames[number + last].time
      recorder.lose(state.losses.sum(from: frames[number].time, through: end), at: 0)
      for (number, movieTime) in zip(number..., times) {
        guard let movieTime else { continue }
        if number < coded.count, let track = state.history.track {
          feed.samples.putPast(picks.takePast(coded[number], of: track, at: movieTime), of: track)
        } else {
          picks.expectPast(frames[number].time, at: movieTime)
        }
      }
    }
  }

  /// Ends the samples of a recording. The encoder gives out what it holds, so that the file need not wait for further
  /// frames of the camera.
  func finish(_ feed: PreRollFeed) {
    maker.flush { [self] in
      state.withLock { $0.recordings.removeAll { $0.feed === feed } }
      feed.samples.end(nil)
    }
  }

  /// Takes no more frames, and ends the recordings with this reason.
  func end(_ reason: RecordingEnd) {
    state.withLock { state in
      guard !state.isEnding else { return }
      state.isEnding = true
      for each in state.recordings { each.recorder.end(reason) }
      // Not once the encoder has ended, because it may hang. The recordings have what they need.
      state.history.clear()
      maker.finish()
    }
  }

  // MARK: On the thread that encodes

  /// Takes a sample of the encoder, with a loan when it is the camera's own memory.
  func put(_ sample: MovieSample, of track: MovieTrack, _ loan: FrameLoan?) {
    let time = sample.presentationTime
    // The history must not hold the camera's own memory for long: the camera would have none left for new frames.
    guard let sample = loan == nil ? sample : copied(sample) else {
      lose(DropCounts(outOfBuffers: 1), at: time)
      return
    }
    let becomesSteady = state.withLock { state in
      forget(upTo: time, &state)
      if !state.isEnding { counters.count(historySamplesLost: state.history.append(sample, of: track)) }
      state.losses.take(before: state.history.samples.first?.presentationTime ?? time)
      for index in state.recordings.indices {
        let (recorder, feed) = (state.recordings[index].recorder, state.recordings[index].feed)
        do throws(CaptureError) {
          switch try state.recordings[index].picks.take(sample, of: track) {
          case .isNone: break
          case .isLost: recorder.lose(DropCounts(outOfBuffers: 1), at: time)
          case .sample(let sample): feed.samples.put(sample, of: track, nil)
          }
        } catch {
          recorder.encodingFailed(error)
        }
      }
      let wasSteady = state.isSteady
      state.isSteady = time >= RetryDelay.steadyDuration
      return state.isSteady && !wasSteady && !state.isEnding
    }
    if becomesSteady { onSteady(self) }
  }

  private func copied(_ sample: MovieSample) -> MovieSample? {
    guard let memory = pool.take(sample.bytes.count) else { return nil }
    sample.bytes.withUnsafeBytes { memory.bytes.copyMemory(from: $0) }
    var copied = sample
    copied.bytes = memory.freeze(count: sample.bytes.count)
    return copied
  }

  /// Samples come in the order of their frames, so what is older was lost.
  private func forget(upTo time: UInt64, _ state: inout State) {
    state.pending.removeFirst(state.pending.prefix { $0.time <= time }.count)
  }

  fileprivate func finish(_ error: CaptureError?) {
    let recordings = state.withLock { state in
      state.isEnding = true
      state.history.clear()
      defer { state.recordings = [] }
      return state.recordings
    }
    onFinish()
    for each in recordings {
      if let error { each.recorder.encodingFailed(error) }
      each.feed.samples.end(error)
    }
    target.run.withLock { $0 = nil }
  }
}

extension PreRollRun: SampleOwner {
  func lose(_ dropped: DropCounts, at time: UInt64) {
    let recorders = state.withLock { state in
      // When the encoder ends, the time is not known.
      let newest = state.start.flatMap { start in state.newest.map { $0.nanoseconds(since: start) } } ?? 0
      state.losses.add(dropped, at: min(time, newest))
      return state.recordings.filter { time == .max ? $0.picks.awaitsSamples : $0.picks.expects(time) }
        .map(\.recorder)
    }
    for recorder in recorders { recorder.lose(dropped, at: time) }
  }

  func encodingFailed(_ error: CaptureError) {
    state.withLock { state in
      if !state.isEnding { state.hasFailed = true }
      (state.isEnding, state.failure) = (true, error)
    }
    onFailure(self, error)
  }
}

/// Hands the samples to a run, which the maker of the samples would own in a circle otherwise.
private final class Target: SampleTarget {
  let run = Locked<PreRollRun?>(nil)

  /// Each recording has a bound of its own.
  var isFull: Bool { false }

  func put(_ sample: MovieSample, of track: MovieTrack, _ loan: FrameLoan?) {
    run.withLock { $0 }?.put(sample, of: track, loan)
  }

  func end(_ error: CaptureError?) { run.withLock { $0 }?.finish(error) }
}

extension MovieCodec {
  fileprivate var hasOnlyKeyFrames: Bool {
    switch self {
    case .h264, .hevc: false
    case .proRes, .ffv1, .motionJPEG: true
    }
  }
}

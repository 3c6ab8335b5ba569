internal import CaptureCore
internal import Locking
internal import SystemClocks
internal import VideoCoding

/// Makes one recording. The capture thread brings frames, a ``SampleMaker`` codes them on a second thread, and a third
/// one writes the file: neither a slow encoder nor a slow disk delays the camera or other outputs. The camera's own
/// JPEG needs no second thread. Thread-safe.
///
/// What waits between the threads is bounded. When it is full, the recorder leaves out and counts frames before they
/// are encoded, so that what was encoded can be decoded.
///
/// The recordings of an output with a pre-roll share an encoder. Such a recorder only says where frames lie in its
/// movie (``place(_:refusal:)``), and gets their samples from a ``PreRollFeed``.
final class MovieRecorder: Sendable {
  private struct State {
    var machine: RecordingStateMachine
    var tally = RecordingTally()
    var audio: AudioTimelines
  }

  /// What happens to the recording, for one follower. The events end after `finished`.
  let events = EventQueue<RecordingEvent>(depth: MovieRecorder.maximumEvents)
  /// The most events that wait for the follower.
  private static let maximumEvents = 64
  private let destination: MovieDestination
  let settings: RecordingSettings
  private let counters: RecordingCounters
  /// Nil when the recorder shares an encoder with others.
  private let maker: (any SampleMaking)?
  private let samples: any SampleSource
  private let observer: (@Sendable () -> Void)?
  private let state: Locked<State>

  /// - Parameters:
  ///   - destination: where the movie is made.
  ///   - frameRate: the nominal rate of the camera's frames.
  ///   - counters: count what all recordings write and lose.
  ///   - observer: called on the threads of the recorder whenever there may be room for more, or more is on the
  ///     storage.
  convenience init(
    to destination: MovieDestination, settings: RecordingSettings, frameRate: Rational,
    counters: RecordingCounters = RecordingCounters(), observer: (@Sendable () -> Void)? = nil
  ) {
    let maker = settings.sampleMaker(frameRate: frameRate)
    self.init(to: destination, settings, maker, maker, counters, observer)
  }

  /// Makes a recorder for samples that somebody else makes.
  convenience init(
    to destination: MovieDestination, settings: RecordingSettings, samples: PreRollFeed, counters: RecordingCounters
  ) { self.init(to: destination, settings, nil, samples, counters, nil) }

  private init(
    to destination: MovieDestination, _ settings: RecordingSettings, _ maker: (any SampleMaking)?,
    _ samples: any SampleSource, _ counters: RecordingCounters, _ observer: (@Sendable () -> Void)?
  ) {
    self.destination = destination
    self.settings = settings
    (self.maker, self.samples) = (maker, samples)
    self.counters = counters
    self.observer = observer
    state = Locked(
      State(
        machine: RecordingStateMachine(limits: settings.limits), audio: AudioTimelines(settings.sound.tracks)))
  }

  /// Starts the threads, which end when the recording is finished.
  ///
  /// - Throws: `processingFailed` when the system cannot create a thread.
  func start() throws(CaptureError) {
    do throws(CaptureError) {
      try maker?.start(for: self)
      try WorkerThread.start(name: "movie-file") { [self] in writeSamples() }
    } catch {
      // The encoder of a pre-roll is not this recorder's to end, and does not know the recorder yet.
      if maker != nil { end(.failed(error)) }
      throw error
    }
  }

  /// How far the recording is, and what it has.
  var progress: (state: RecordingStateMachine.State, duration: UInt64, tally: RecordingTally) {
    state.withLock { ($0.machine.state, $0.machine.timeline.duration, $0.tally) }
  }

  /// The pauses after which frames came.
  var pauses: [RecordingPause] { state.withLock(\.machine.timeline.pauses) }

  /// What ends or has ended the recording. Nil while it takes frames.
  var end: RecordingEnd? { state.withLock(\.machine.reason) }

  /// Whether the recording takes no more frames.
  var isEnding: Bool { state.withLock { $0.machine.isEnding } }

  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { samples.isBusy }

  /// Takes a frame, on the capture thread. A recorder that shares an encoder takes none.
  func receive(_ captured: CapturedFrame) {
    guard let maker else { return }
    let refusal = maker.refusal(of: captured.frame)
    let loan = FrameLoan(captured.frame.buffer)
    // The frame is put under the lock, so that none comes after the end.
    change { state in
      guard let (time, isFirst) = place(captured.frame, refusal, &state) else { return }
      // A movie of a span of time may begin after a pause.
      maker.put(captured, at: time, loan, forcesKeyFrame: isFirst)
    }
  }

  /// Finds the place of a frame that somebody else codes, on the capture thread, before it is coded.
  ///
  /// - Parameter refusal: why the frame cannot be coded.
  /// - Returns: the frame's time in the movie, in nanoseconds. Nil for a frame that is not in it, which is counted as
  ///   far as the movie lacks it.
  func place(_ frame: Frame, refusal: DropCounts?) -> UInt64? { change { place(frame, refusal, &$0)?.time } }

  private func place(
    _ frame: Frame, _ refusal: DropCounts?, _ state: inout State
  ) -> (time: UInt64, isFirst: Bool)? {
    guard state.machine.wantsFrames else { return nil }
    // What was lost before the first frame, or in a pause, does not belong to the movie.
    if state.machine.timeline.continues { drop(frame.missing, &state) }
    if let refusal {
      // A movie of coded pictures begins and goes on with a key frame. Those before it do not belong to the movie.
      if frame.coded == nil || state.machine.timeline.continues { drop(refusal, &state) }
      return nil
    }
    let found = place(frame.time.monotonic, &state)
    // Its time stamp is not newer than that of the frame before.
    if found == nil, !state.machine.isEnding { drop(DropCounts(late: 1), &state) }
    return found
  }

  /// What became of a frame or of sound that was offered.
  enum Answer: Hashable {
    case taken
    /// There is no room for it now.
    case full
    /// The recording takes nothing more.
    case ended
  }

  /// Takes a frame, unless there is no room for it. The time stamp is newer than that of the frame before.
  func offer(_ captured: CapturedFrame) -> Answer {
    guard let maker else { return .ended }
    let refusal = maker.refusal(of: captured.frame)
    let loan = FrameLoan(captured.frame.buffer)
    return change { state in
      guard state.machine.wantsFrames else { return .ended }
      guard refusal == nil else { return .full }
      if state.machine.timeline.continues { drop(captured.frame.missing, &state) }
      guard let (time, _) = place(captured.frame.time.monotonic, &state, soundOf: .writer) else { return .ended }
      maker.put(captured, at: time, loan, forcesKeyFrame: false)
      return .taken
    }
  }

  /// Takes sound of an input, unless there is no room for it. None of what was taken is left out for a slow disk. The
  /// caller bounds the sound that waits for its pictures.
  func offer(_ block: AudioBlock, of input: String) -> Answer {
    guard !isEnding else { return .ended }
    guard !samples.isBacklogged else { return .full }
    receive(block, of: input, from: .writer)
    return .taken
  }

  /// Whether so much waits for the disk that there is no room for sound now.
  var isBacklogged: Bool { samples.isBacklogged }

  /// Takes frames that the camera captured before the recording began, in order. The encoder has them already.
  ///
  /// - Returns: where each of them lies in the movie, in nanoseconds; nil for a frame that does not belong to it.
  func takePast(_ stamps: [MonotonicInstant]) -> [UInt64?] {
    change { state in stamps.map { place($0, &state, soundOf: .preRoll)?.time } }
  }

  /// Takes sound of an input, on the thread that captures it.
  ///
  /// - Parameter origin: where the sound comes from. Only that of a microphone is left out for a slow disk.
  func receive(_ block: AudioBlock, of input: String, from origin: AudioOrigin) {
    state.withLock { state in
      guard !state.machine.isEnding else { return }
      put(state.audio.add(block, of: input, isPast: origin != .microphone), from: origin)
    }
  }

  /// Finds the place of a frame in the movie, and gives the encoder the sound that the movie has with it. The frame is
  /// the first one at the start of the movie and after a pause.
  private func place(
    _ stamp: MonotonicInstant, _ state: inout State, soundOf origin: AudioOrigin = .microphone
  ) -> (time: UInt64, isFirst: Bool)? {
    let continues = state.machine.timeline.continues
    guard let time = state.machine.take(stamp, period: samples.period) else { return nil }
    put(state.audio.place(stamp, at: time, period: samples.period, continues: continues), from: origin)
    return (time, !continues)
  }

  private func put(_ pieces: [AudioPiece], from origin: AudioOrigin) {
    for var piece in pieces {
      piece.origin = origin
      samples.put(piece)
    }
  }

  /// Leaves frames out until ``resume()``. Returns false once the recording ends.
  func pause() -> Bool { change { $0.machine.pause() } }

  /// Takes frames again. Returns false once the recording ends.
  func resume() -> Bool { change { $0.machine.resume() } }

  /// Ends the recording. Its file is complete with the event `finished`.
  func end(_ reason: RecordingEnd) { change { $0.machine.end(reason) } }

  private func drop(_ dropped: DropCounts, _ state: inout State) {
    state.tally.dropped += dropped
    counters.count(dropped: dropped)
  }

  /// Changes the state, and performs what follows from the change. Under the lock, so that events come in their order.
  private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
    state.withLock { state in
      let result = body(&state)
      for action in state.machine.takeActions() {
        switch action {
        case .tell(let event):
          events.put(event)
          if case .finished = event { events.end() }
        case .finish:
          // The tracks of sound are as long as the pictures.
          put(state.audio.end(), from: .microphone)
          samples.finish()
        }
      }
      return result
    }
  }

  // MARK: Writing, on its thread

  private func writeSamples() {
    let writer = MovieWriter(destination, for: self)
    var failure: CaptureError?
    let codingFailure = samples.write(with: writer, for: self) { () throws(CaptureError) in
      try writer.finish()
    } whenFailed: { error in
      failure = error
      end(.failed(error))
    }
    writer.close()
    change { $0.machine.didClose(failure ?? codingFailure) }
  }

  /// Whether the limits let the file have a sample of the pictures. It ends before the first one that they do not.
  ///
  /// - Parameter duration: the duration of the movie without the sample, in nanoseconds.
  func mayWrite(_ sample: MovieSample, after duration: UInt64, to file: MovieFile) -> Bool {
    guard settings.limits.concernsFile else { return true }
    let count = UInt64(sample.bytes.count)
    let space = settings.limits.freeSpace == nil ? nil : file.freeSpaceWithFragment.map { $0 - min($0, count) }
    let size = file.sizeWithFragment + count
    return change { $0.machine.mayWrite(after: duration, fileSize: size, freeSpace: space) }
  }

  /// Notes what plays of the file.
  ///
  /// - Parameter silence: as ``RecordingTally/silence``.
  func note(_ file: MovieFile, silence: [UInt64]) {
    state.withLock { $0.tally.note(file, silence: silence, counters) }
  }
}

extension MovieRecorder: SampleOwner {
  func lose(_ dropped: DropCounts, at _: UInt64) { state.withLock { drop(dropped, &$0) } }

  func encodingFailed(_ error: CaptureError) { end(.failed(error)) }

  func madeRoom() { observer?() }
}

internal import CaptureCore
internal import Locking
internal import SystemClocks
internal import VideoCoding

/// Makes one recording. The capture thread brings frames, a ``RecordingEncoder`` codes them on a second thread, and a
/// third one writes the file: neither a slow encoder nor a slow disk delays the camera or other outputs. The camera's
/// own JPEG needs no second thread. Thread-safe.
///
/// What waits between the threads is bounded. When it is full, the recorder leaves out and counts frames before they
/// are encoded, so that what was encoded can be decoded.
final class MovieRecorder: Sendable {
  private struct State {
    var machine: RecordingStateMachine
    var tally = RecordingTally()
    var audio: AudioTimelines
  }

  /// What happens to the recording.
  let events = EventLog<RecordingEvent>()
  private let destination: MovieDestination
  let settings: RecordingSettings
  private let counters: RecordingCounters
  private let encoder: any RecordingEncoder
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
    self.init(
      to: destination, settings: settings, encoder: settings.encoder(frameRate: frameRate), counters: counters,
      observer: observer)
  }

  /// Makes a recorder with another encoder than one of its own.
  init(
    to destination: MovieDestination, settings: RecordingSettings, encoder: any RecordingEncoder,
    counters: RecordingCounters, observer: (@Sendable () -> Void)? = nil
  ) {
    self.observer = observer
    self.destination = destination
    self.settings = settings
    self.counters = counters
    self.encoder = encoder
    state = Locked(
      State(
        machine: RecordingStateMachine(limits: settings.limits), audio: AudioTimelines(settings.audioTracks)))
  }

  /// Starts the threads, which end when the recording is finished.
  ///
  /// - Throws: `processingFailed` when the system gives no thread.
  func start() throws(CaptureError) {
    try WorkerThread.start(name: "movie-file") { [self] in writeSamples() }
    do throws(CaptureError) { try encoder.start(for: self) } catch {
      end(.failed(error))
      encoder.close()
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
  var end: RecordingEnd? {
    switch progress.state {
    case .starting, .recording, .paused: nil
    case .finishing(let end), .finished(let end): end
    }
  }

  /// Whether the recording takes no more frames.
  var isEnding: Bool { state.withLock { $0.machine.isEnding } }

  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { encoder.isBusy }

  /// Takes a frame, on the capture thread.
  func receive(_ captured: CapturedFrame) {
    let frame = captured.frame
    let refusal = encoder.refusal(of: frame)
    let loan = FrameLoan(frame.buffer)
    // The frame is put under the lock, so that none comes after the end.
    change { state in
      guard state.machine.wantsFrames else { return }
      // What was lost before the first frame, or in a pause, does not belong to the movie.
      if state.machine.timeline.continues { drop(frame.missing, &state) }
      if let refusal {
        // A movie of coded pictures begins and goes on with a key frame. Those before it do not belong to the movie.
        if frame.coded == nil || state.machine.timeline.continues { drop(refusal, &state) }
      } else if let (time, isFirst) = place(frame.time.monotonic, &state) {
        // A movie of a span of time may begin after a pause.
        encoder.put(captured, at: time, loan, forcesKeyFrame: isFirst)
      } else if !state.machine.isEnding {
        // Its time stamp is not newer than that of the frame before.
        drop(DropCounts(late: 1), &state)
      }
    }
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
    let refusal = encoder.refusal(of: captured.frame)
    let loan = FrameLoan(captured.frame.buffer)
    return change { state in
      guard state.machine.wantsFrames else { return .ended }
      guard refusal == nil else { return .full }
      if state.machine.timeline.continues { drop(captured.frame.missing, &state) }
      guard let (time, _) = place(captured.frame.time.monotonic, &state, soundOf: .writer) else { return .ended }
      encoder.put(captured, at: time, loan, forcesKeyFrame: false)
      return .taken
    }
  }

  /// Takes sound of an input, unless there is no room for it. None of what was taken is left out for a slow disk. The
  /// caller bounds the sound that waits for its pictures.
  func offer(_ block: AudioBlock, of input: String) -> Answer {
    guard !isEnding else { return .ended }
    guard !encoder.isBacklogged else { return .full }
    receive(block, of: input, from: .writer)
    return .taken
  }

  /// Whether so much waits for the disk that there is no room for sound now.
  var isBacklogged: Bool { encoder.isBacklogged }

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
    guard let time = state.machine.take(stamp, period: encoder.period) else { return nil }
    put(state.audio.place(stamp, at: time, period: encoder.period, continues: continues), from: origin)
    return (time, !continues)
  }

  private func put(_ pieces: [AudioPiece], from origin: AudioOrigin) {
    for var piece in pieces {
      piece.origin = origin
      encoder.put(piece)
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
        case .tell(let event): events.append(event)
        case .finish:
          // The tracks of sound are as long as the pictures.
          put(state.audio.end(), from: .microphone)
          encoder.finish()
        }
      }
      return result
    }
  }

  // MARK: Writing, on its thread

  private func writeSamples() {
    var file: MovieFile?
    var failure: CaptureError?
    func fail(_ error: CaptureError) {
      failure = failure ?? error
      end(.failed(error))
    }
    var audio: AudioTracks?
    /// The duration of what the file was given, in nanoseconds, and whether a limit of the file ended it.
    var (duration, isCut): (UInt64, Bool) = (0, false)
    do throws(CaptureError) {
      let tracks = try AudioTracks(settings.audioCodec, settings.audioTracks, bitRate: settings.audioBitRate)
      audio = tracks
      file = try MovieFile(
        destination, container: settings.container, fragmentInterval: settings.fragmentInterval,
        audioTracks: tracks.tracks)
    } catch { fail(error) }
    func next() -> SampleQueue.Element? {
      observer?()
      return encoder.take(for: self)
    }
    loop: while let element = next() {
      switch element {
      case .sample(let sample, let track, _), .past(let sample, let track):
        guard failure == nil, !isCut, let file, let audio else { continue }
        isCut = !mayWrite(sample, after: duration, to: file)
        if isCut { continue }
        duration = sample.presentationTime + sample.duration
        do throws(CaptureError) {
          for (sound, index) in audio.take(before: sample.presentationTime) {
            try file.append(audio: sound, to: index)
          }
          note(file, audio, try file.append(sample, of: track))
        } catch { fail(error) }
      case .audio(let piece):
        guard failure == nil else { continue }
        do throws(CaptureError) { try audio?.add(piece) } catch { fail(error) }
      case .end(let error):
        let end = isCut ? duration : .max
        if failure == nil { do throws(CaptureError) { try finish(file, audio, at: end) } catch { fail(error) } }
        failure = failure ?? error
        break loop
      }
    }
    encoder.close()
    file?.discardIfEmpty()
    change { state in
      if let file, let audio { state.tally.note(file, silence: audio.silence, counters) }
      state.machine.didClose(failure)
    }
  }

  /// Whether the limits let the file have a sample of the pictures. It ends before the first one that they do not.
  private func mayWrite(_ sample: MovieSample, after duration: UInt64, to file: MovieFile) -> Bool {
    guard settings.limits.concernsFile else { return true }
    let count = UInt64(sample.bytes.count)
    let space = settings.limits.freeSpace == nil ? nil : file.freeSpaceWithFragment.map { $0 - min($0, count) }
    let size = file.sizeWithFragment + count
    return change { $0.machine.mayWrite(after: duration, fileSize: size, freeSpace: space) }
  }

  /// Completes the file, which has no sound that begins later than `end`.
  private func finish(_ file: MovieFile?, _ audio: AudioTracks?, at end: UInt64) throws(CaptureError) {
    guard let file, let audio else { return }
    var failure: CaptureError?
    do throws(CaptureError) {
      for (sound, index) in try audio.finish() where sound.presentationTime < end {
        try file.append(audio: sound, to: index)
      }
    } catch { failure = error }
    // The pictures are whole, whatever became of the sound.
    try file.finish()
    if let failure { throw failure }
  }

  private func note(_ file: MovieFile, _ audio: AudioTracks, _ endsFragment: Bool) {
    if endsFragment { change { $0.tally.note(file, silence: audio.silence, counters) } }
  }
}

extension MovieRecorder: EncoderOwner {
  func lose(_ dropped: DropCounts, at _: UInt64) { state.withLock { drop(dropped, &$0) } }

  func encodingFailed(_ error: CaptureError) { end(.failed(error)) }

  func madeRoom() { observer?() }
}

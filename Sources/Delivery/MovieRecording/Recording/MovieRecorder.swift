internal import CaptureCore
internal import Imaging
internal import Synchronization
internal import SystemClocks
internal import VideoCoding

/// Makes one recording. The capture thread brings frames, a second thread encodes them, and a third one writes the
/// file: neither a slow encoder nor a slow disk delays the camera or other outputs. Thread-safe.
///
/// What waits between the threads is bounded. When it is full, the recorder leaves out and counts frames before they
/// are encoded, so that what was encoded can be decoded.
final class MovieRecorder: Sendable {
  /// The most frames of the camera that wait for the encoder.
  static let waitingFrames = 8
  /// The number of coded bytes that wait for the disk above which frames are left out.
  static let waitingBytes = 32 << 20
  /// How many frames the camera's pool must still be able to lend, as for previews.
  static let framesLeftToCamera = 4

  private enum Work: Sendable {
    /// The loan counts the frame's memory as lent.
    case encode(CapturedFrame, at: UInt64, FrameLoan)
    case finish
  }
  private enum Writing: Sendable {
    /// With a loan when the sample is the camera's own memory.
    case append(MovieSample, MovieTrack, FrameLoan?)
    /// The error is that of the encoder.
    case finish(CaptureError?)
  }
  private struct State {
    var machine: RecordingStateMachine
    var tally = RecordingTally()
  }

  /// What happens to the recording.
  let events = EventLog<RecordingEvent>()
  private let path: String
  private let settings: RecordingSettings
  private let frameRate: Rational
  /// How long a frame is shown when none follows, in nanoseconds.
  private let period: UInt64
  private let state: Mutex<State>
  private let frames = Mailbox<Work>(depth: waitingFrames + 1)
  private let waiting = Atomic<Int>(0)
  /// Bounded by `waitingBytes`, so that it is never full.
  private let samples = Mailbox<Writing>(depth: 1 << 16)
  private let unwritten = Atomic<Int>(0)
  /// Memory of coded samples: those that wait for the disk, and those that the encoder is about to return.
  private let pool = FramePool(budget: 2 * waitingBytes)

  /// - Parameters:
  ///   - path: the path of the file, which must not exist.
  ///   - frameRate: the nominal rate of the camera's frames.
  init(path: String, settings: RecordingSettings, frameRate: Rational) {
    self.path = path
    self.settings = settings
    self.frameRate = frameRate
    // Some drivers tell a rate of 0.
    period = UInt64(1e9 / max(frameRate.value, 0.01))
    state = Mutex(State(machine: RecordingStateMachine(limits: settings.limits)))
  }

  /// Starts the threads, which end when the recording is finished.
  ///
  /// - Throws: `processingFailed` when the system gives no thread.
  func start() throws(CaptureError) {
    try WorkerThread.start(name: "movie-file") { [self] in writeSamples() }
    do throws(CaptureError) {
      // The encoder uses what the previews leave.
      try WorkerThread.start(name: "movie-encode", niceness: 5) { [self] in encodeFrames() }
    } catch {
      end(.failed(error))
      samples.put(.finish(error))
      throw error
    }
  }

  /// How far the recording is, and what it has.
  var progress: (state: RecordingStateMachine.State, duration: UInt64, tally: RecordingTally) {
    state.withLock { ($0.machine.state, $0.machine.timeline.duration, $0.tally) }
  }

  /// Whether the recording takes no more frames.
  var isEnding: Bool {
    switch state.withLock({ $0.machine.state }) {
    case .starting, .recording, .paused: false
    case .finishing, .finished: true
    }
  }

  /// Whether the next frame would have to be left out, unless the encoder is done with one until it comes.
  var isBusy: Bool {
    waiting.load(ordering: .relaxed) >= Self.waitingFrames || unwritten.load(ordering: .relaxed) >= Self.waitingBytes
  }

  /// Takes a frame, on the capture thread.
  func receive(_ captured: CapturedFrame) {
    let frame = captured.frame
    let (isBusy, hasRoom) = (self.isBusy, frame.buffer.leavesRoom(for: Self.framesLeftToCamera))
    let loan = FrameLoan(frame.buffer)
    // The frame is put under the lock, so that none comes after the end.
    change { state in
      guard state.machine.wantsFrames else { return }
      // What was lost before the first frame, or in a pause, does not belong to the movie.
      if state.machine.timeline.continues { state.tally.dropped += frame.missing }
      if isBusy || !hasRoom {
        state.tally.dropped += isBusy ? DropCounts(late: 1) : DropCounts(outOfBuffers: 1)
      } else if let time = state.machine.take(frame.time.monotonic, period: period) {
        waiting.add(1, ordering: .relaxed)
        frames.put(.encode(captured, at: time, loan))
      }
    }
  }

  /// Leaves frames out until ``resume()``. Returns false once the recording ends.
  func pause() -> Bool { change { $0.machine.pause() } }

  /// Takes frames again. Returns false once the recording ends.
  func resume() -> Bool { change { $0.machine.resume() } }

  /// Ends the recording. Its file is complete with the event `finished`.
  func end(_ reason: RecordingEnd) { change { $0.machine.end(reason) } }

  private func lose(_ dropped: DropCounts) { state.withLock { $0.tally.dropped += dropped } }

  /// Changes the state, and performs what follows from the change. Under the lock, so that events come in their order.
  private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
    state.withLock { state in
      let result = body(&state)
      for action in state.machine.takeActions() {
        switch action {
        case .tell(let event): events.append(event)
        case .finish: frames.put(.finish)
        }
      }
      return result
    }
  }

  // MARK: Encoding, on its thread

  private func encodeFrames() {
    var coder: FrameCoder?
    var failure: CaptureError?
    while failure == nil, case .encode(let captured, let time, let loan)? = frames.take() {
      waiting.subtract(1, ordering: .relaxed)
      do throws(CaptureError) { try encode(captured.frame.picture, at: time, loan, &coder) } catch {
        switch error.reason {
        case .frameDamaged: lose(DropCounts(damaged: 1))
        case .outOfBuffers: lose(DropCounts(outOfBuffers: 1))
        default: failure = error
        }
      }
    }
    frames.close()
    if failure == nil, let coder {
      do throws(CaptureError) { try put(try coder.finish(), of: coder, nil) } catch { failure = error }
    }
    lose(DropCounts(outOfBuffers: UInt64(coder?.lostSamples ?? 0)))
    if let failure { end(.failed(failure)) }
    samples.put(.finish(failure))
  }

  private func encode(
    _ picture: Picture, at time: UInt64, _ loan: FrameLoan, _ coder: inout FrameCoder?
  ) throws(CaptureError) {
    if coder == nil {
      coder = try FrameCoder(picture, settings, frameRate: frameRate, period: period, pool: pool)
    }
    let coder = coder!
    try put(try coder.encode(picture, at: time), of: coder, coder.keepsFrames ? loan : nil)
    withExtendedLifetime(loan) {}
  }

  private func put(_ ready: [MovieSample], of coder: FrameCoder, _ loan: FrameLoan?) throws(CaptureError) {
    for sample in ready {
      guard let track = coder.track else {
        throw CaptureError(.processingFailed, "The encoder does not tell how its pictures are to be decoded.")
      }
      unwritten.add(Self.size(of: sample), ordering: .relaxed)
      samples.put(.append(sample, track, loan))
    }
  }

  /// The part of `waitingBytes` that a sample takes. Each counts as at least a kilobyte, which bounds their number.
  private static func size(of sample: MovieSample) -> Int { sample.bytes.count + 1024 }

  // MARK: Writing, on its thread

  private func writeSamples() {
    var file: MovieFile?
    var failure: CaptureError?
    func fail(_ error: CaptureError) {
      failure = failure ?? error
      end(.failed(error))
    }
    do throws(CaptureError) {
      file = try MovieFile(path: path, container: settings.container, fragmentInterval: settings.fragmentInterval)
    } catch { fail(error) }
    loop: while let writing = samples.take() {
      switch writing {
      case .append(let sample, let track, _):
        unwritten.subtract(Self.size(of: sample), ordering: .relaxed)
        guard failure == nil, let file else { continue }
        do throws(CaptureError) { note(file, try file.append(sample, of: track)) } catch { fail(error) }
      case .finish(let error):
        if failure == nil { do throws(CaptureError) { try file?.finish() } catch { fail(error) } }
        failure = failure ?? error
        break loop
      }
    }
    samples.close()
    file?.discardIfEmpty()
    change { state in
      state.tally.fileSize = file?.size ?? 0
      state.tally.frames = file?.sampleCount ?? 0
      state.machine.didClose(failure)
    }
  }

  private func note(_ file: MovieFile, _ endsFragment: Bool) {
    guard endsFragment else { return }
    let space = settings.limits.freeSpace != nil ? file.freeSpace : nil
    change { state in
      state.tally.frames = file.sampleCount
      state.tally.fileSize = file.size
      state.machine.noteWritten(fileSize: file.size, freeSpace: space)
    }
  }
}

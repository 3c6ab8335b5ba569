internal import CaptureCore
internal import Locking
internal import SystemClocks
internal import VideoCoding

/// The part of a continuous recording from a first frame until the session stops, the camera or the format changes, or
/// something fails. One encoder makes the samples of all segments, so no frame is lost or doubled between two of them.
/// Thread-safe.
final class SegmentedRun: FrameRun {
  private struct State {
    /// Sees one movie without limits, and no segments.
    var machine = RecordingStateMachine(limits: RecordingLimits())
    /// Decides which frames begin a segment.
    var cuts: MovieCuts
    var dropped = DropLedger()
    /// The time stamp of the first frame.
    var start: MonotonicInstant?
    var audio: AudioTimelines
  }

  /// What all frames of the run show.
  private let subject: MovieSubject
  private let desk: SegmentDesk
  private let counters: RecordingCounters
  private let maker: any SampleMaking
  private let state: Locked<State>
  /// The last segment has been given to the store.
  private let over = Event<Void>()

  /// - Parameter first: the first frame.
  init(_ desk: SegmentDesk, of first: CapturedFrame, frameRate: Rational, counters: RecordingCounters) {
    self.desk = desk
    subject = MovieSubject(first)
    self.counters = counters
    maker = desk.plan.settings.sampleMaker(frameRate: frameRate)
    state = Locked(
      State(cuts: MovieCuts(every: desk.plan.duration), audio: AudioTimelines(desk.plan.settings.sound.tracks)))
  }

  /// Starts the threads, which end with the run.
  ///
  /// - Parameters:
  ///   - whenSteady: called on the thread that writes when ``RetryDelay/steadyDuration`` of the run is on the storage.
  ///   - whenFinished: called once on the thread that writes, with the end, and whether something plays of the run.
  /// - Throws: `processingFailed` when the system cannot create a thread. Nothing is called then.
  func start(
    whenSteady: @escaping @Sendable () -> Void, whenFinished: @escaping @Sendable (RecordingEnd, Bool) -> Void
  ) throws(CaptureError) {
    do throws(CaptureError) {
      try maker.start(for: self)
      try WorkerThread.start(name: "movie-file") { [self] in writeSamples(whenSteady, whenFinished) }
    } catch {
      end(.failed(error))
      over.happen()
      throw error
    }
  }

  /// Whether the run takes no more frames.
  var isEnding: Bool { state.withLock { $0.machine.isEnding } }

  /// Whether the encoder, the disk or missing space ended the run.
  var hasFailed: Bool { reason?.isFailure ?? false }

  /// Whether there is no room for another frame now. The encoder may make room before the next one comes.
  var isBusy: Bool { maker.isBusy }

  /// Why a frame cannot follow the ones before. Nil when it can.
  func obstacle(for frame: CapturedFrame) -> CaptureError? { subject.obstacle(for: frame) }

  /// Takes a frame, on the capture thread.
  func receive(_ captured: CapturedFrame) {
    let frame = captured.frame
    let stamp = frame.time.monotonic
    let refusal = maker.refusal(of: frame)
    let loan = FrameLoan(frame.buffer)
    // The frame is put under the lock, so that none comes after the end.
    change { state in
      guard state.machine.wantsFrames else { return }
      if let start = state.start, stamp > start {
        // What was lost lies before the frame, and maybe in the segment before it.
        drop(frame.missing, at: stamp.nanoseconds(since: start) - 1, &state)
        if let refusal { return drop(refusal, at: stamp.nanoseconds(since: start), &state) }
      } else if let refusal {
        // A run of coded pictures begins with a key frame, before which it has lost nothing.
        return frame.coded == nil ? drop(refusal, at: 0, &state) : ()
      }
      let continues = state.machine.timeline.continues
      guard let time = state.machine.take(stamp, period: maker.period) else { return }
      let beginsSegment = state.cuts.isDue(at: time, lasting: maker.period) && mayBeginSegment(with: frame)
      // The tracks of a segment are as long as its pictures.
      if beginsSegment { for piece in state.audio.end() { maker.put(piece) } }
      for piece in state.audio.place(stamp, at: time, period: maker.period, continues: continues) {
        maker.put(piece)
      }
      if state.start == nil { state.start = stamp }
      if beginsSegment {
        state.cuts.begin(at: time)
        // The writer finds the segment when it gets the sample.
        desk.prepare(at: time, stamp)
      }
      maker.put(captured, at: time, loan, forcesKeyFrame: beginsSegment)
    }
  }

  /// Whether a segment can begin with a frame. Coded pictures of the camera can only be cut before a key frame, for
  /// which the camera is asked.
  private func mayBeginSegment(with frame: Frame) -> Bool {
    guard desk.plan.settings.pictures.takesCoded, let coded = frame.coded, !coded.link.isKeyFrame else { return true }
    coded.stream.requestKeyFrame()
    return false
  }

  /// Takes sound of an input, on the thread that captures it.
  func receive(_ block: AudioBlock, of input: String) {
    state.withLock { state in
      guard !state.machine.isEnding else { return }
      for piece in state.audio.add(block, of: input) { maker.put(piece) }
    }
  }

  /// Ends the run, and its last segment with this reason.
  func end(_ reason: RecordingEnd) { change { $0.machine.end(reason) } }

  /// Returns when the last segment has been given to the store.
  func finished() async { await over.wait() }

  private func drop(_ dropped: DropCounts, at time: UInt64, _ state: inout State) {
    state.dropped.add(dropped, at: time)
    counters.count(dropped: dropped)
  }

  private func stamp(at time: UInt64) -> MonotonicInstant {
    // Samples come after the first frame.
    state.withLock { $0.start! } + time
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      // No client follows a run, so its other events go nowhere.
      guard state.machine.takeActions().contains(.finish) else { return }
      for piece in state.audio.end() { maker.put(piece) }
      maker.finish()
    }
  }

  // MARK: Writing, on its thread

  private func writeSamples(
    _ whenSteady: @escaping @Sendable () -> Void, _ whenFinished: @Sendable (RecordingEnd, Bool) -> Void
  ) {
    let writer = SegmentWriter(
      desk, counters: counters, stamp: stamp(at:),
      takeDropped: { [self] time in state.withLock { $0.dropped.take(before: time) } }, whenSteady: whenSteady)
    maker.write(with: writer, for: self) { () throws(SegmentRefusal) in
      if let reason { try writer.end(reason) }
    } whenFailed: { refusal in
      end(refusal.end)
      // What was written plays, whether or not the file can be completed.
      try? writer.end(refusal.end)
    }
    desk.close()
    whenFinished(reason ?? .stopped, writer.hasWritten)
    over.happen()
  }

  /// Why the run ends. Nil while it goes on.
  private var reason: RecordingEnd? { state.withLock(\.machine.reason) }
}

extension SegmentedRun: SampleOwner {
  func lose(_ dropped: DropCounts, at time: UInt64) { state.withLock { drop(dropped, at: time, &$0) } }

  func encodingFailed(_ error: CaptureError) { end(.failed(error)) }
}

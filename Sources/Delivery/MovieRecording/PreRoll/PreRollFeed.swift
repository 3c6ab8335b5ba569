internal import CaptureCore
internal import Locking
internal import VideoCoding

/// The samples of one recording that shares the encoder of a pre-roll. Thread-safe.
///
/// The encoder codes every frame, and returns most samples later. The feed therefore notes which frames belong to the
/// movie and where they lie in it, and picks their samples.
final class PreRollFeed: RecordingEncoder {
  private struct State {
    /// The frame that the recorder is being offered: its time in the run, and why it has to be left out.
    var offered: (time: UInt64, refusal: DropCounts?) = (0, nil)
    /// Whether the offered frame has to become a key frame.
    var forcesKeyFrame = false
    /// Where the newest frame of the movie lies: from its time in the movie to that in the run.
    var offset: UInt64?
    var cuts: MovieCuts
    /// The frames of the movie whose samples have not come.
    var expected: [Expected] = []
    var track: MovieTrack?
    var waitsForKeyFrame = true
  }

  private struct Expected {
    /// In the run, and in the movie.
    var time, movieTime: UInt64
    /// Whether the movie does not go on from the sample before.
    var isCut: Bool
  }

  let samples = SampleQueue()
  private let run: PreRollRun
  private let state: Locked<State>

  /// - Parameter fragmentInterval: how often a key frame is needed, in nanoseconds.
  init(of run: PreRollRun, fragmentInterval: UInt64) {
    self.run = run
    state = Locked(State(cuts: MovieCuts(every: fragmentInterval)))
  }

  // MARK: For the recorder

  var period: UInt64 { run.period }
  var isBusy: Bool { run.isBusy || samples.isFull }
  var isBacklogged: Bool { samples.isFull }

  /// Does nothing: the encoder runs already.
  func start(for _: some EncoderOwner) {}

  func refusal(of _: Frame) -> DropCounts? { state.withLock(\.offered.refusal) }

  func put(_: CapturedFrame, at movieTime: UInt64, _: FrameLoan, forcesKeyFrame _: Bool) {
    state.withLock { state in
      let isCut = expect(state.offered.time, at: movieTime, &state)
      if isCut || state.cuts.isDue(at: movieTime, lasting: period) {
        state.forcesKeyFrame = true
        state.cuts.begin(at: movieTime)
      }
    }
  }

  func put(_ piece: AudioPiece) { samples.put(piece) }

  func finish() { run.finish(self) }

  func take(for _: some EncoderOwner) -> SampleQueue.Element? { samples.take() }

  func close() { samples.close() }

  // MARK: For the run

  /// Offers a frame to the recorder, before the encoder gets it.
  ///
  /// - Parameters:
  ///   - time: the frame's time in the run, in nanoseconds.
  ///   - refusal: why the encoder does not take the frame.
  /// - Returns: whether the recording needs a key frame here.
  func offer(
    _ frame: CapturedFrame, at time: UInt64, refusal: DropCounts?, to recorder: MovieRecorder
  ) -> Bool {
    state.withLock { state in
      state.offered = (time, refusal)
      state.forcesKeyFrame = false
    }
    recorder.receive(frame)
    return state.withLock(\.forcesKeyFrame)
  }

  /// Notes a frame from before the request, whose sample will come.
  func expectPast(_ time: UInt64, at movieTime: UInt64) { state.withLock { _ = expect(time, at: movieTime, &$0) } }

  /// Takes a sample from before the request.
  func putPast(_ sample: MovieSample, of track: MovieTrack, at movieTime: UInt64) {
    state.withLock { state in
      state.offset = sample.presentationTime &- movieTime
      state.track = track
      state.waitsForKeyFrame = false
      samples.putPast(sample.placed(at: movieTime), of: track)
    }
  }

  /// Takes a sample of the encoder if its frame belongs to the movie.
  ///
  /// - Returns: false when the sample belongs to the movie and cannot be decoded there, because the key frame before it
  ///   was lost.
  /// - Throws: `processingFailed` when the file cannot describe the sample.
  func take(_ sample: MovieSample, of track: MovieTrack) throws(CaptureError) -> Bool {
    try state.withLock { state throws(CaptureError) in
      let time = sample.presentationTime
      while let first = state.expected.first, first.time < time {
        if first.isCut { state.waitsForKeyFrame = true }
        state.expected.removeFirst()
      }
      guard let first = state.expected.first, first.time == time else { return true }
      state.expected.removeFirst()
      if first.isCut { state.waitsForKeyFrame = true }
      if state.waitsForKeyFrame, !sample.isKeyFrame { return false }
      state.waitsForKeyFrame = false
      if let known = state.track, known !== track, !known.isEqual(to: track) {
        throw CaptureError(.processingFailed, "The encoder was replaced by one that the file cannot describe.")
      }
      state.track = track
      samples.put(sample.placed(at: first.movieTime), of: track, nil)
      return true
    }
  }

  /// Whether a frame of the movie is with the encoder.
  var awaitsSamples: Bool { state.withLock { !$0.expected.isEmpty } }

  /// Whether the frame of this time in the run belongs to the movie, and is with the encoder.
  func expects(_ time: UInt64) -> Bool { state.withLock { $0.expected.contains { $0.time == time } } }

  private func expect(_ time: UInt64, at movieTime: UInt64, _ state: inout State) -> Bool {
    // It changes with each pause, and is only compared.
    let offset = time &- movieTime
    let isCut = state.offset != offset
    state.offset = offset
    state.expected.append(Expected(time: time, movieTime: movieTime, isCut: isCut))
    return isCut
  }
}

extension MovieSample {
  /// The sample with this time in the movie, in nanoseconds. Movies have no B-frames.
  fileprivate func placed(at time: UInt64) -> MovieSample {
    var placed = self
    (placed.presentationTime, placed.decodeTime) = (time, time)
    return placed
  }
}

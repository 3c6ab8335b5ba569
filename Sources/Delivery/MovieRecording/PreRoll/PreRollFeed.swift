internal import CaptureCore
internal import VideoCoding

/// The samples of one recording that shares the encoder of a pre-roll, on their way to the thread that writes its file.
/// Thread-safe.
final class PreRollFeed: SampleSource {
  let samples = SampleQueue()
  private let run: PreRollRun

  init(of run: PreRollRun) { self.run = run }

  var period: UInt64 { run.period }
  var isBusy: Bool { run.isBusy || samples.isFull }
  var isBacklogged: Bool { samples.isFull }

  func put(_ piece: AudioPiece) { samples.put(piece) }

  func finish() { run.finish(self) }

  func take(for _: some SampleOwner) -> SampleQueue.Element? { samples.take() }

  func close() { samples.close() }
}

/// Which samples of the encoder of a pre-roll one recording has, and where they lie in its movie, as a value.
///
/// The encoder codes every frame, and returns most samples later. The picks therefore note which frames belong to the
/// movie and where they lie in it, and find their samples by their times.
struct PreRollPicks {
  /// What a sample of the encoder is to the recording.
  enum Pick {
    /// Its frame does not belong to the movie.
    case isNone
    /// It belongs to the movie and cannot be decoded there, because the key frame before it was lost.
    case isLost
    /// The sample as it lies in the movie.
    case sample(MovieSample)
  }

  private struct Expected {
    /// In the run, and in the movie.
    var time, movieTime: UInt64
    /// Whether the movie does not go on from the sample before.
    var isCut: Bool
  }

  /// Where the newest frame of the movie lies: from its time in the movie to that in the run.
  private var offset: UInt64?
  private var cuts: MovieCuts
  /// The frames of the movie whose samples have not come.
  private var expected: [Expected] = []
  private var track: MovieTrack?
  private var waitsForKeyFrame = true

  /// - Parameter fragmentInterval: how often a key frame is needed, in nanoseconds.
  init(fragmentInterval: UInt64) { cuts = MovieCuts(every: fragmentInterval) }

  /// Whether a frame of the movie is with the encoder.
  var awaitsSamples: Bool { !expected.isEmpty }

  /// Whether the frame of this time in the run belongs to the movie, and is with the encoder.
  func expects(_ time: UInt64) -> Bool { expected.contains { $0.time == time } }

  /// Notes a frame that goes to the encoder now.
  ///
  /// - Parameters:
  ///   - time: the frame's time in the run, in nanoseconds.
  ///   - movieTime: its time in the movie.
  /// - Returns: whether the movie needs a key frame here.
  mutating func expect(_ time: UInt64, at movieTime: UInt64, lasting period: UInt64) -> Bool {
    let isCut = note(time, at: movieTime)
    guard isCut || cuts.isDue(at: movieTime, lasting: period) else { return false }
    cuts.begin(at: movieTime)
    return true
  }

  /// Notes a frame from before the request, whose sample will come.
  mutating func expectPast(_ time: UInt64, at movieTime: UInt64) { _ = note(time, at: movieTime) }

  private mutating func note(_ time: UInt64, at movieTime: UInt64) -> Bool {
    // It changes with each pause, and is only compared.
    let offset = time &- movieTime
    let isCut = self.offset != offset
    self.offset = offset
    expected.append(Expected(time: time, movieTime: movieTime, isCut: isCut))
    return isCut
  }

  /// Takes a sample from before the request. Returns it as it lies in the movie.
  mutating func takePast(_ sample: MovieSample, of track: MovieTrack, at movieTime: UInt64) -> MovieSample {
    offset = sample.presentationTime &- movieTime
    self.track = track
    waitsForKeyFrame = false
    return sample.placed(at: movieTime)
  }

  /// Takes a sample of the encoder.
  ///
  /// - Throws: `processingFailed` when the file cannot describe the sample.
  mutating func take(_ sample: MovieSample, of track: MovieTrack) throws(CaptureError) -> Pick {
    let time = sample.presentationTime
    while let first = expected.first, first.time < time {
      if first.isCut { waitsForKeyFrame = true }
      expected.removeFirst()
    }
    guard let first = expected.first, first.time == time else { return .isNone }
    expected.removeFirst()
    if first.isCut { waitsForKeyFrame = true }
    if waitsForKeyFrame, !sample.isKeyFrame { return .isLost }
    waitsForKeyFrame = false
    if let known = self.track, known !== track, !known.isEqual(to: track) {
      throw CaptureError(.processingFailed, "The encoder was replaced by one that the file cannot describe.")
    }
    self.track = track
    return .sample(sample.placed(at: first.movieTime))
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

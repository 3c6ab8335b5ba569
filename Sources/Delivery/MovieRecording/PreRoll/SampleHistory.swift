internal import CaptureCore
internal import VideoCoding

/// The newest samples of an encoder, as a value. They begin with a key frame. The history gives up whole groups, each
/// from one key frame to the next: a group goes once the samples after it reach back far enough, and the oldest groups
/// go until the bytes of the rest fit.
struct SampleHistory: Sendable {
  /// How far back the samples reach at least, once the encoder has run for that long, in nanoseconds.
  let duration: UInt64
  /// The most bytes of all samples. The memory of each counts in whole pages.
  let maximumBytes: Int
  /// In the order of their times. The first one is a key frame.
  private(set) var samples: [MovieSample] = []
  /// What a file tells about the samples. Nil without samples.
  private(set) var track: MovieTrack?
  private(set) var bytes = 0

  init(duration: UInt64, maximumBytes: Int) {
    self.duration = duration
    self.maximumBytes = maximumBytes
  }

  /// Adds a sample, which is later than all others. A sample of another track begins the history anew.
  ///
  /// - Returns: the number of samples that the history gave up, or did not take, because of their bytes.
  mutating func append(_ sample: MovieSample, of track: MovieTrack) -> Int {
    if let old = self.track, old !== track, !old.isEqual(to: track) { clear() }
    // Without its key frame a sample cannot be decoded.
    guard !samples.isEmpty || sample.isKeyFrame else { return 1 }
    self.track = track
    samples.append(sample)
    bytes += Self.size(of: sample)
    if sample.isKeyFrame { forgetOld(now: sample.presentationTime) }
    var lost = 0
    while bytes > maximumBytes { lost += removeFirstGroup() }
    return lost
  }

  /// Forgets everything.
  mutating func clear() { (samples, track, bytes) = ([], nil, 0) }

  private mutating func forgetOld(now: UInt64) {
    while let next = startOfSecondGroup, samples[next].presentationTime + duration <= now { removeFirstGroup() }
  }

  private var startOfSecondGroup: Int? { samples.dropFirst().firstIndex(where: \.isKeyFrame) }

  @discardableResult
  private mutating func removeFirstGroup() -> Int {
    let count = startOfSecondGroup ?? samples.count
    bytes -= samples[..<count].reduce(0) { $0 + Self.size(of: $1) }
    samples.removeFirst(count)
    if samples.isEmpty { track = nil }
    return count
  }

  /// Pools give memory in pages of 4 KiB.
  static func size(of sample: MovieSample) -> Int { max(4096, (sample.bytes.count + 4095) & ~4095) }
}

/// A frame that the encoder of a pre-roll has coded, or is going to code.
struct PreRollFrame: Hashable, Sendable {
  /// The frame's time in the run of the encoder, in nanoseconds.
  var time: UInt64
  var isKeyFrame: Bool

  /// Returns the number of the frame with which a recording begins: the last key frame that is not later than the first
  /// frame wanted. Nil when no frame is wanted, or when no key frame is old enough.
  ///
  /// - Parameters:
  ///   - frames: in the order of their times.
  ///   - start: the first frame from this time on is wanted.
  static func first(of frames: [PreRollFrame], from start: UInt64) -> Int? {
    guard let wanted = frames.firstIndex(where: { $0.time >= start }) else { return nil }
    return frames[...wanted].lastIndex(where: \.isKeyFrame)
  }
}

internal import CaptureCore
internal import Imaging
internal import VideoCoding

/// Makes the samples of a recording from the camera's frames. Thread-bound.
///
/// The camera's own JPEG goes into the movie as it is, in the memory of the frame.
final class FrameCoder {
  private enum Way {
    case encoding(MovieEncoder)
    case passing(MovieTrack)
  }

  /// The longest time from one key frame to the next, in nanoseconds.
  private static let keyFrameInterval: UInt64 = 2_000_000_000

  private let way: Way
  private let first: FrameLayout
  private let period: UInt64
  private var fragments: MovieCuts
  /// Whether a frame that had to be a key frame was lost, so that the next one takes its place.
  private var owesKeyFrame = false
  private var keyFrames = MovieCuts(every: keyFrameInterval)
  /// Counts as the file does, of which it knows no more than the samples.
  private var meter: FragmentMeter
  private let orientation: Orientation
  /// The track of the encoder, and what files say of it.
  private var tracks: (coded: MovieTrack, turned: MovieTrack)?

  /// Makes the coder for frames like this one.
  ///
  /// - Parameters:
  ///   - maximumFragment: the bytes of a fragment with which a key frame is demanded that can end it.
  /// - Throws: `formatNotSupported` when the frames cannot be coded so on this machine.
  convenience init(
    _ first: Picture, _ settings: RecordingSettings, frameRate: Rational, period: UInt64, pool: FramePool,
    maximumFragment: Int = FragmentMeter.maximumBytes
  ) throws(CaptureError) {
    guard settings.pictures.codec != .motionJPEG else {
      try self.init(passing: first, settings, period: period)
      return
    }
    // The coder forces the key frames by their times, so the encoder's own distance may be longer.
    let interval = min(settings.fragmentInterval, Self.keyFrameInterval)
    let distance = max(1, Int((2 * Double(interval) / 1e9 * frameRate.value).rounded()))
    let encoder = try MovieEncoder(
      MovieFormat(
        settings.pictures.codec, of: first.layout, frameRate: frameRate, rate: settings.pictures.rate,
        keyFrameDistance: distance),
      pool: pool, allowsHardware: settings.pictures.allowsHardware)
    self.init(.encoding(encoder), first, settings, period: period, maximumFragment: maximumFragment)
  }

  /// Makes the coder for pictures like this one that are coded already: JPEG, H.264 or HEVC.
  ///
  /// - Throws: `formatNotSupported` for other pictures, and when libavcodec is not installed.
  convenience init(passing first: Picture, _ settings: RecordingSettings, period: UInt64) throws(CaptureError) {
    self.init(
      .passing(try MovieTrack(of: first)), first, settings, period: period,
      maximumFragment: FragmentMeter.maximumBytes)
  }

  private init(_ way: Way, _ first: Picture, _ settings: RecordingSettings, period: UInt64, maximumFragment: Int) {
    self.way = way
    self.first = first.layout
    self.period = period
    fragments = MovieCuts(every: settings.fragmentInterval)
    meter = FragmentMeter(every: settings.fragmentInterval, maximumBytes: maximumFragment)
    orientation = settings.orientation
  }

  /// Returns the track of the samples that were returned so far.
  ///
  /// - Throws: `processingFailed` when the encoder does not tell it.
  func track() throws(CaptureError) -> MovieTrack {
    let coded: MovieTrack? =
      switch way {
      case .encoding(let encoder): encoder.track
      case .passing(let track): track
      }
    guard let coded else {
      throw CaptureError(.processingFailed, "The encoder does not tell how its pictures are to be decoded.")
    }
    if let tracks, tracks.coded === coded { return tracks.turned }
    let size = if case .encoding(let encoder) = way { encoder.format.size } else { first.size }
    let turned = try coded.turned(by: orientation, size: size)
    tracks = (coded, turned)
    return turned
  }

  /// Whether the samples are the camera's own memory.
  var keepsFrames: Bool { if case .passing = way { true } else { false } }

  /// The number of samples for which there was no memory.
  var lostSamples: Int { if case .encoding(let encoder) = way { encoder.lostSamples } else { 0 } }

  /// Codes the next frame.
  ///
  /// - Parameter forcesKeyFrame: whether the frame begins a fragment in any case.
  /// - Returns: the samples that are ready, mostly of earlier frames. Each fragment begins with a key frame, and at
  ///   most 2 s lie between key frames.
  /// - Throws: `formatNotSupported` when the frame differs from the first one in size or format; what
  ///   ``MovieEncoder/encode(_:at:lasting:forcesKeyFrame:)`` throws.
  func encode(
    _ picture: Picture, at time: UInt64, forcesKeyFrame: Bool = false
  ) throws(CaptureError) -> [MovieSample] {
    let isFull = meter.needsKeyFrame
    let beginsFragment = owesKeyFrame || forcesKeyFrame || isFull || fragments.isDue(at: time, lasting: period)
    let isKeyFrame = beginsFragment || keyFrames.isDue(at: time, lasting: period)
    owesKeyFrame = beginsFragment
    let samples = try code(picture, at: time, forcesKeyFrame: isKeyFrame)
    owesKeyFrame = false
    if isKeyFrame { keyFrames.begin(at: time) }
    if isFull { meter.demandedKeyFrame() }
    for each in samples {
      _ = meter.add(
        each.bytes.count, at: each.presentationTime, lasting: each.duration, isKeyFrame: each.isKeyFrame)
    }
    if beginsFragment { fragments.begin(at: time) }
    return samples
  }

  private func code(_ picture: Picture, at time: UInt64, forcesKeyFrame: Bool) throws(CaptureError) -> [MovieSample] {
    switch way {
    case .encoding(let encoder):
      return try encoder.encode(picture, at: time, lasting: period, forcesKeyFrame: forcesKeyFrame)
    case .passing:
      guard hasFirstFormat(picture.layout.pixelFormat), picture.layout.size == first.size else {
        throw CaptureError(
          .formatNotSupported, "The camera's pictures have changed to \(picture.layout.size), so the movie ends.")
      }
      let isKeyFrame =
        !first.pixelFormat.isVideo
        || picture.buffer.withUnsafeBytes { AccessUnit($0, first.pixelFormat, onlyHead: true).isKeyFrame }
      return [MovieSample(bytes: picture.buffer, presentationTime: time, duration: period, isKeyFrame: isKeyFrame)]
    }
  }

  /// Cameras name JPEG by one of two codes, and clients of a writer may name the other.
  private func hasFirstFormat(_ format: PixelFormat) -> Bool {
    format == first.pixelFormat || format.isJPEG && first.pixelFormat.isJPEG
  }

  /// The samples that are still to come after the last frame.
  func finish() throws(CaptureError) -> [MovieSample] {
    if case .encoding(let encoder) = way { try encoder.finish() } else { [] }
  }
}

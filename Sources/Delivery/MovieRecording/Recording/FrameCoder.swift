internal import CaptureCore
internal import Imaging
internal import VideoCoding

/// Makes the samples of a recording from the camera's frames. Thread-bound.
///
/// The camera's own JPEG goes into the movie as it is, in the memory of the frame.
enum FrameCoder {
  case encoding(MovieEncoder)
  case passing(MovieTrack, period: UInt64)

  /// Makes the coder for frames like this one.
  ///
  /// - Throws: `formatNotSupported` when the frames cannot be coded so on this machine.
  init(_ first: Picture, _ settings: RecordingSettings, frameRate: Rational, pool: FramePool) throws(CaptureError) {
    if settings.codec == .motionJPEG {
      self = .passing(try MovieTrack(of: first), period: UInt64(1e9 / frameRate.value))
    } else {
      // A fragment begins with a key frame.
      let distance = max(1, Int((Double(settings.fragmentInterval) / 1e9 * frameRate.value).rounded()))
      self = .encoding(
        try MovieEncoder(
          MovieFormat(
            settings.codec, of: first.layout, frameRate: frameRate, rate: settings.rate, keyFrameDistance: distance),
          pool: pool, allowsHardware: true))
    }
  }

  /// The track of the samples that were returned so far.
  var track: MovieTrack? {
    switch self {
    case .encoding(let encoder): encoder.track
    case .passing(let track, _): track
    }
  }

  /// Codes the next frame.
  ///
  /// - Returns: the samples that are ready, mostly of earlier frames.
  func encode(_ picture: Picture, at time: UInt64) throws(CaptureError) -> [MovieSample] {
    switch self {
    case .encoding(let encoder): try encoder.encode(picture, at: time)
    case .passing(_, let period):
      [MovieSample(bytes: picture.buffer, presentationTime: time, duration: period, isKeyFrame: true)]
    }
  }

  /// The samples that are still to come after the last frame.
  func finish() throws(CaptureError) -> [MovieSample] {
    switch self {
    case .encoding(let encoder): try encoder.finish()
    case .passing: []
    }
  }
}

internal import CaptureCore

/// Fills in the defaults of a movie output.
enum MovieResolver {
  static let movieQualities: ClosedRange<UInt32> = 1...100
  static let movieBitRates: ClosedRange<UInt64> = 10_000...1_000_000_000
  static let audioBitRates: ClosedRange<UInt64> = 8_000...512_000
  /// The longest time before its request at which a recording may begin, in nanoseconds.
  static let longestPreRoll: UInt64 = 60_000_000_000

  /// Returns a movie output of a configuration, not yet connected.
  ///
  /// - Parameters:
  ///   - path: the field of the output.
  ///   - published: the format of the camera's frames; nil when there is no camera.
  ///   - isMain: whether it is the main movie output.
  static func resolve(
    _ asked: SessionConfiguration.Movie, _ path: String, _ published: PixelFormat?, isMain: Bool,
    _ issues: inout [CaptureError]
  ) -> ResolvedConfiguration.Output {
    let codec = asked.codec ?? .h264
    if codec == .motionJPEG, let published, !published.isJPEG {
      issues.append(
        CaptureError(
          .notSupportedInConfiguration,
          "The camera gives \(published), and a movie in Motion JPEG has the camera's own JPEG; name a format with "
            + "JPEG or another codec.",
          metadata: ["codec": codec.rawValue, "pixel_format": published.fourCC], field: "\(path).codec"))
    }
    if let quality = asked.quality, !movieQualities.contains(quality) {
      issues.append(
        CaptureError(
          .invalidArgument, "A quality of \(quality) is out of range; name one from 1 to 100.",
          metadata: ["quality": "\(quality)"], field: "\(path).quality"))
    }
    if let rate = asked.averageBitRate {
      if asked.quality != nil {
        issues.append(
          CaptureError(
            .invalidArgument, "A movie has either a constant quality or an average bit rate; leave one unset.",
            metadata: ["average_bit_rate": "\(rate)"], field: "\(path).average_bit_rate"))
      } else if !movieBitRates.contains(rate) {
        issues.append(
          CaptureError(
            .invalidArgument,
            "\(rate) bits per second are out of range; name \(movieBitRates.lowerBound) to "
              + "\(movieBitRates.upperBound).",
            metadata: ["average_bit_rate": "\(rate)"], field: "\(path).average_bit_rate"))
      }
    }
    if let preRoll = asked.maxPreRoll, preRoll > longestPreRoll {
      issues.append(
        CaptureError(
          .invalidArgument, "A recording cannot begin \(preRoll) ns before its request; name at most 60 s.",
          metadata: ["max_pre_roll_duration": "\(preRoll)"], field: "\(path).max_pre_roll_duration"))
    }
    if let rate = asked.audioBitRate, !audioBitRates.contains(rate) {
      issues.append(
        CaptureError(
          .invalidArgument,
          "\(rate) bits per second of sound are out of range; name \(audioBitRates.lowerBound) to "
            + "\(audioBitRates.upperBound).",
          metadata: ["audio_average_bit_rate": "\(rate)"], field: "\(path).audio_average_bit_rate"))
    }
    var movie = ResolvedConfiguration.Movie(
      codec: codec, quality: Int(asked.quality ?? 80), averageBitRate: asked.averageBitRate.map { Int(clamping: $0) })
    movie.isMain = isMain
    movie.maxPreRoll = asked.maxPreRoll ?? 0
    movie.usesVideoStorage = asked.usesVideoStorage
    movie.audioCodec = asked.audioCodec ?? .aac
    movie.audioBitRate = asked.audioBitRate.map { Int(clamping: $0) }
    return ResolvedConfiguration.Output(
      id: asked.id ?? (isMain ? "movie" : ""), deferredStart: asked.deferredStart ?? true, kind: .movie(movie))
  }
}

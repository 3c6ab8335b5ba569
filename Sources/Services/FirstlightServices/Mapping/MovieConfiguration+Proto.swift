internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import SwiftProtobuf
internal import VideoCoding

extension SessionConfiguration.Movie {
  /// Reads a movie output that a client asks for.
  ///
  /// - Parameter path: the field of the output.
  /// - Throws: `invalidArgument` for an id that must not be, and for a codec that this version does not know;
  ///   `unsupportedValue` for a codec that this machine does not have.
  init(_ proto: Firstlight_V1_MovieOutput, path: String) throws(CaptureError) {
    self.init(
      id: try outputID(proto.id, field: "\(path).id"),
      deferredStart: proto.hasDeferredStartEnabled ? proto.deferredStartEnabled : nil,
      codec: try MovieCodec.reading(proto.codec, field: "\(path).codec"))
    if proto.hasQuality { quality = proto.quality }
    if proto.hasAverageBitRate { averageBitRate = proto.averageBitRate }
    if proto.hasMaxPreRollDuration { maxPreRoll = proto.maxPreRollDuration.unsignedNanoseconds ?? .max }
    audioCodec = try AudioCodec.reading(proto.audioCodec, field: "\(path).audio_codec")
    if proto.hasAudioAverageBitRate { audioBitRate = proto.audioAverageBitRate }
    usesVideoStorage = proto.usesProVideoStorage
    if let audioCodec, !audioCodec.isAvailable {
      let available = AudioCodec.available.map(\.rawValue).joined(separator: ", ")
      throw CaptureError(
        .unsupportedValue,
        "This machine has no encoder for \(audioCodec.rawValue); it has these: \(available). FFmpeg's libavcodec adds "
          + "more.",
        metadata: ["audio_codec": audioCodec.rawValue, "available": available],
        field: "\(path).audio_codec")
    }
    let asked = codec ?? .h264
    guard asked.isAvailable else {
      let available = MovieCodec.available.map(\.rawValue).joined(separator: ", ")
      throw CaptureError(
        .unsupportedValue,
        "This machine has no encoder for \(asked.rawValue); it has these: \(available). FFmpeg's libavcodec adds more.",
        metadata: ["codec": asked.rawValue, "available": available], field: "\(path).codec")
    }
  }

  var proto: Firstlight_V1_MovieOutput {
    .with {
      $0.id = id ?? ""
      if let deferredStart { $0.deferredStartEnabled = deferredStart }
      if let codec { $0.codec = codec.proto }
      if let quality { $0.quality = quality }
      if let averageBitRate { $0.averageBitRate = averageBitRate }
      if let audioCodec { $0.audioCodec = audioCodec.proto }
      if let audioBitRate { $0.audioAverageBitRate = audioBitRate }
      $0.usesProVideoStorage = usesVideoStorage
      if let maxPreRoll { $0.maxPreRollDuration = .init(nanoseconds: Int64(clamping: maxPreRoll)) }
    }
  }
}

extension ResolvedConfiguration.Output {
  func proto(_ movie: ResolvedConfiguration.Movie) -> Firstlight_V1_MovieOutput {
    .with {
      $0.id = id
      $0.deferredStartEnabled = deferredStart
      $0.codec = movie.codec.proto
      $0.maxPreRollDuration = .init(nanoseconds: Int64(clamping: movie.maxPreRoll))
      $0.audioCodec = movie.audioCodec.proto
      $0.usesProVideoStorage = movie.usesVideoStorage
      if let rate = movie.audioBitRate { $0.audioAverageBitRate = UInt64(rate) }
      if let rate = movie.averageBitRate {
        $0.averageBitRate = UInt64(rate)
      } else {
        $0.quality = UInt32(movie.quality)
      }
    }
  }
}

extension ResolvedConfiguration.Movie {
  var capabilities: Firstlight_V1_MovieCapabilities {
    .with {
      $0.availableCodecs = MovieCodec.available.map(\.proto)
      $0.availableAudioCodecs = AudioCodec.available.map(\.proto)
      $0.availableContainers = MovieContainer.allCases.filter { $0.holds(codec) }.map(\.proto)
    }
  }
}

extension MovieCodec {
  /// The codecs that this machine has. Loads libavcodec.
  fileprivate static var available: [MovieCodec] { allCases.filter(\.isAvailable) }

  /// Reads the codec that a client asks for. Nil for none.
  ///
  /// - Throws: `invalidArgument` for a value that this version does not know.
  static func reading(
    _ proto: Firstlight_V1_MovieCodec, field: String = "configuration.movie.codec"
  ) throws(CaptureError) -> MovieCodec? {
    switch proto {
    case .unspecified: nil
    case .h264: .h264
    case .hevc: .hevc
    case .proRes: .proRes
    case .ffv1: .ffv1
    case .motionJpeg: .motionJPEG
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }

  var proto: Firstlight_V1_MovieCodec {
    switch self {
    case .h264: .h264
    case .hevc: .hevc
    case .proRes: .proRes
    case .ffv1: .ffv1
    case .motionJPEG: .motionJpeg
    }
  }
}

extension AudioCodec {
  /// The codecs that this machine has. Loads libavcodec.
  fileprivate static var available: [AudioCodec] { allCases.filter(\.isAvailable) }

  /// Reads the codec that a client asks for. Nil for none.
  ///
  /// - Throws: `invalidArgument` for a value that this version does not know.
  static func reading(
    _ proto: Firstlight_V1_AudioCodec, field: String = "configuration.movie.audio_codec"
  ) throws(CaptureError) -> AudioCodec? {
    switch proto {
    case .unspecified: nil
    case .aac: .aac
    case .opus: .opus
    case .pcm: .pcm
    case .UNRECOGNIZED(let value): throw Validation.unknownEnum(value, field: field)
    }
  }

  var proto: Firstlight_V1_AudioCodec {
    switch self {
    case .aac: .aac
    case .opus: .opus
    case .pcm: .pcm
    }
  }
}

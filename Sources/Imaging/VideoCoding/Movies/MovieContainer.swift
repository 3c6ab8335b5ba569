internal import CVideoCoding
public import CaptureCore

/// The format of the file or stream that holds a movie.
public enum MovieContainer: String, CaseIterable, Sendable {
  /// MP4, in fragments. Browsers play it.
  case mp4
  /// QuickTime, in fragments.
  case mov
  /// Matroska.
  case matroska
  /// The transport stream of MPEG.
  case mpegTS

  /// Whether libavformat and libavcodec are installed and, once they were loaded, whether that worked. The first call
  /// in the process searches the file system.
  public static var isAvailable: Bool { cvideo_muxer_is_available() }

  /// The library that writes containers, in the one version that the daemon loads.
  public static var library: (name: String, debianPackage: String) {
    let version = cvideo_muxer_version()
    return ("libavformat.so.\(version)", "libavformat\(version)")
  }

  /// Loads libavformat and libavcodec now, so that the thread which makes the first movie need not wait for that. The
  /// first call takes up to a tenth of a second.
  ///
  /// - Returns: whether they are loaded.
  @discardableResult
  public static func load() -> Bool { cvideo_muxer_load() }

  /// The container of a movie for which nobody names one.
  ///
  /// - Parameter audio: how its sound is coded; nil for a movie without sound.
  public static func usual(for codec: MovieCodec, _ audio: AudioCodec? = nil) -> MovieContainer {
    [.mp4, .mov].first { $0.holds(codec) && (audio.map($0.holds) ?? true) } ?? .matroska
  }

  /// The usual ending of a file's name, without the dot.
  public var fileExtension: String {
    switch self {
    case .mp4: "mp4"
    case .mov: "mov"
    case .matroska: "mkv"
    case .mpegTS: "ts"
    }
  }

  /// The media type by which HTTP names the container.
  public var mimeType: String {
    switch self {
    case .mp4: "video/mp4"
    case .mov: "video/quicktime"
    case .matroska: "video/x-matroska"
    case .mpegTS: "video/mp2t"
    }
  }

  /// Whether players read this codec from this container. libavformat could write more: browsers, for example, play no
  /// Motion JPEG from MP4.
  public func holds(_ codec: MovieCodec) -> Bool {
    switch self {
    case .mp4, .mpegTS: codec == .h264 || codec == .hevc
    case .mov: codec != .ffv1
    case .matroska: true
    }
  }

  /// Whether players read sound of this codec from this container.
  public func holds(_ codec: AudioCodec) -> Bool {
    switch self {
    case .mp4, .mpegTS: codec != .pcm
    case .mov: codec != .opus
    case .matroska: true
    }
  }

  /// Whether players read a track of these samples from this container.
  public func holds(_ media: MovieTrack.Media) -> Bool {
    switch media {
    case .pictures(let codec): holds(codec)
    case .sound(let codec): holds(codec)
    }
  }

  /// Whether a movie in this container can be copied with its index in front; see ``SeekableMovie``.
  public var hasIndex: Bool { self == .mp4 || self == .mov }

  var inC: cvideo_container {
    switch self {
    case .mp4: CVIDEO_MP4
    case .mov: CVIDEO_MOV
    case .matroska: CVIDEO_MATROSKA
    case .mpegTS: CVIDEO_MPEG_TS
    }
  }
}

extension MovieCodec {
  /// Whether libavcodec has a software encoder for the codec; true for Motion JPEG, which needs none. Loads libavcodec.
  public var isAvailable: Bool { self == .motionJPEG || cvideo_movie_encoder_exists(inC, CVIDEO_SOFTWARE) }

  /// The encoders in the order in which they are tried: libavcodec's name of each, and whether the encoder is hardware.
  /// The list has only encoders that libavcodec has. It may name hardware encoders that turn out not to open. Loads
  /// libavcodec.
  public func encoders(allowsHardware: Bool) -> [(name: String, isHardware: Bool)] {
    Self.kinds(allowsHardware: allowsHardware).compactMap { kind in
      guard let name = cvideo_movie_encoder_name(inC, kind), cvideo_movie_encoder_exists(inC, kind) else { return nil }
      return (String(cString: name), kind != CVIDEO_SOFTWARE)
    }
  }

  /// The kinds of encoders, in the order in which they are tried.
  static func kinds(allowsHardware: Bool) -> [cvideo_kind] {
    (allowsHardware ? [CVIDEO_V4L2, CVIDEO_VAAPI] : []) + [CVIDEO_SOFTWARE]
  }

  var inC: cvideo_codec {
    switch self {
    case .h264: CVIDEO_H264
    case .hevc: CVIDEO_HEVC
    case .proRes: CVIDEO_PRORES
    case .ffv1: CVIDEO_FFV1
    case .motionJPEG: CVIDEO_MJPEG
    }
  }
}

internal import CVideoCoding
public import CaptureCore

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

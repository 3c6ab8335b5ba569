public import CaptureCore
internal import VideoCoding

/// How a preview picture is encoded.
public enum PreviewEncoding: Hashable, Sendable, CaseIterable {
  case jpeg
  /// Raw: luma plane, then interleaved Cb Cr at half size.
  case nv12
  /// Raw: Y0 Cb Y1 Cr.
  case yuyv
  /// Annex B, parameter sets before each key frame.
  case h264

  /// The pixel format of a picture so encoded.
  public var pixelFormat: PixelFormat {
    switch self {
    case .jpeg: .jpeg
    case .nv12: .nv12
    case .yuyv: .yuyv
    case .h264: .h264
    }
  }

  /// What encodes ``h264`` on this machine, in the order in which it is tried: libavcodec's name, and whether it is the machine's
  /// own encoder. Empty without libavcodec.
  package static func videoEncoders(usingHardware: Bool) -> [(name: String, isHardware: Bool)] {
    H264Encoder.encoders(allowsHardware: usingHardware)
  }

  /// How a slow link is given less.
  var steps: [LinkAdaptation.Step] {
    switch self {
    case .jpeg, .h264: LinkAdaptation.compressed
    case .nv12, .yuyv: LinkAdaptation.raw
    }
  }
}

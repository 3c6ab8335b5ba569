public import CaptureCore
internal import VideoCoding

/// How a preview picture is encoded.
public enum PreviewEncoding: Hashable, Sendable, CaseIterable {
  case jpeg
  /// Raw: the luma plane, then a plane of interleaved Cb and Cr at half the width and height.
  case nv12
  /// Raw: one plane of Y0 Cb Y1 Cr.
  case yuyv
  /// H.264 as an Annex B byte stream, with the parameter sets before each key frame.
  case h264

  /// The pixel format of a preview's picture in this encoding.
  public var pixelFormat: PixelFormat {
    switch self {
    case .jpeg: .jpeg
    case .nv12: .nv12
    case .yuyv: .yuyv
    case .h264: .h264
    }
  }

  /// The encoders of ``h264`` on this machine, in the order in which previews try them: libavcodec's name, and whether
  /// the encoder is the machine's own. Asks libavcodec; empty where that is not installed.
  ///
  /// - Parameter usingHardware: whether the daemon may use the machine's own encoders.
  package static func videoEncoders(usingHardware: Bool) -> [(name: String, isHardware: Bool)] {
    H264Encoder.encoders(allowsHardware: usingHardware)
  }

  /// The steps by which a reader on a slow link gets less.
  var steps: [LinkAdaptation.Step] {
    switch self {
    case .jpeg, .h264: LinkAdaptation.compressed
    case .nv12, .yuyv: LinkAdaptation.raw
    }
  }
}

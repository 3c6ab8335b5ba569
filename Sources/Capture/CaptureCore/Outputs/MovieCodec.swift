/// How the pictures of a movie are coded.
public enum MovieCodec: String, CaseIterable, Sendable {
  /// H.264, by x264 or hardware.
  case h264
  /// HEVC (H.265), by x265 or hardware.
  case hevc
  /// ProRes 422, with ten bits a sample. Each picture is a key frame, and its size is that of the profile.
  case proRes
  /// FFV1, version 3. It is lossless, and each picture is a key frame.
  case ffv1
  /// Motion JPEG: the camera's own pictures, unchanged.
  case motionJPEG

  /// The pixel format of a camera whose own pictures a movie of this codec can have; nil where no camera has them.
  public var pixelFormat: PixelFormat? {
    switch self {
    case .h264: .h264
    case .hevc: .hevc
    case .motionJPEG: .mjpeg
    case .proRes, .ffv1: nil
    }
  }

  /// Whether each picture is a key frame.
  public var hasKeyFramesOnly: Bool { self == .proRes || self == .ffv1 || self == .motionJPEG }

  /// The size that pictures of this size have in a movie: most codecs leave an odd last column or line out.
  public func size(of pictures: Size) -> Size { self == .ffv1 || self == .motionJPEG ? pictures : pictures.evenSize }
}

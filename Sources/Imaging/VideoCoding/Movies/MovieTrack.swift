internal import CVideoCoding
public import CaptureCore
public import Imaging

/// What a file tells once about all samples of a track. A track outlives its encoder, and may be used by many muxers.
public final class MovieTrack: @unchecked Sendable {
  // Unchecked, because the compiler cannot see that nothing changes the memory behind the pointer.
  let handle: OpaquePointer
  /// What the samples of the track are, and how they are coded.
  public let media: Media

  /// What the samples of a track are.
  public enum Media: Hashable, Sendable {
    /// Pictures.
    case pictures(MovieCodec)
    /// Sound.
    case sound(AudioCodec)

    /// The name of the codec.
    public var codecName: String {
      switch self {
      case .pictures(let codec): codec.rawValue
      case .sound(let codec): codec.rawValue
      }
    }
  }

  /// - Parameter handle: The track, which this object owns from now on.
  init(_ media: Media, owning handle: OpaquePointer) {
    self.media = media
    self.handle = handle
  }

  deinit { cvideo_track_destroy(handle) }

  /// Makes the track of pictures that ``MovieEncoder`` did not encode: of JPEG pictures, or of H.264 or HEVC in
  /// annex B.
  ///
  /// - Parameter picture: The first picture; for H.264 and HEVC a key frame.
  /// - Throws: `formatNotSupported` for other formats, and when libavcodec is not installed; `processingFailed` when
  ///   a coded key frame has no parameter sets.
  public convenience init(of picture: Picture) throws(CaptureError) {
    let layout = picture.layout
    guard layout.pixelFormat.isJPEG || layout.pixelFormat.isVideo else {
      throw CaptureError(
        .formatNotSupported, "Pictures in \(layout.pixelFormat) cannot be put into a movie unchanged.",
        metadata: ["format": "\(layout.pixelFormat)"])
    }
    guard cvideo_is_available() else { throw .withoutLibrary("libavcodec is not installed") }
    let codec: MovieCodec =
      switch layout.pixelFormat {
      case .h264: .h264
      case .hevc: .hevc
      default: .motionJPEG
      }
    var format = cvideo_track_format(
      codec: codec.inC, width: Int32(layout.size.width), height: Int32(layout.size.height),
      is_full_range: layout.range == .full, matrix: layout.matrix.inC)
    let handle = picture.buffer.withUnsafeBytes {
      cvideo_track_create(&format, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
    }
    guard let handle else {
      throw CaptureError(.processingFailed, "The first picture of a movie in \(codec.rawValue) has no parameter sets.")
    }
    self.init(.pictures(codec), owning: handle)
  }

  /// Whether a decoder of this track can decode the samples of another one.
  public func isEqual(to other: MovieTrack) -> Bool {
    digest == other.digest
  }

  /// A number that two tracks share when a decoder of one can decode the samples of the other. It may be kept.
  public var digest: UInt64 { withExtendedLifetime(self) { cvideo_track_digest(handle) } }

  /// Whether the parameter sets of a key frame are those of this track, which is in H.264 or HEVC. A decoder of the
  /// track can then decode the key frame and the pictures after it.
  package func describes(_ keyFrame: Picture) -> Bool {
    keyFrame.buffer.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
      return cvideo_track_describes(handle, start, bytes.count)
    }
  }
}

extension MovieTrack {
  /// The track of the same pictures that players turn. Only MP4 and QuickTime can tell players so.
  ///
  /// - Parameter size: the size of the pictures as they are coded.
  /// - Throws: `processingFailed` when there is no memory.
  public func turned(by orientation: Orientation, size: Size) throws(CaptureError) -> MovieTrack {
    guard orientation != .asCaptured else { return self }
    let turned = withExtendedLifetime(self) { cvideo_track_turned(handle, orientation.displayMatrix(of: size)) }
    guard let turned else { throw CaptureError(.processingFailed, "There is no memory for the movie.") }
    return MovieTrack(media, owning: turned)
  }
}

extension Orientation {
  /// The matrix of a track in MP4 (ISO/IEC 14496-12, 6.2.2): a point (x, y) of the coded picture is shown at
  /// (ax + cy + tx, bx + dy + ty). The numbers are a, b, 0, c, d, 0, tx, ty and 1, with 16 or 30 bits after the point.
  func displayMatrix(of size: Size) -> [Int32] {
    let (width, height) = (Int32(size.width), Int32(size.height))
    var (a, b, c, d, tx, ty): (Int32, Int32, Int32, Int32, Int32, Int32) =
      switch rotation {
      case .none: (1, 0, 0, 1, 0, 0)
      case .quarter: (0, 1, -1, 0, height, 0)
      case .half: (-1, 0, 0, -1, width, height)
      case .threeQuarters: (0, -1, 1, 0, 0, width)
      }
    if isMirrored { (a, c, tx) = (-a, -c, Int32(turned(size).width) - tx) }
    return [a << 16, b << 16, 0, c << 16, d << 16, 0, tx << 16, ty << 16, 1 << 30]
  }
}

internal import CVideoCoding
public import CaptureCore
internal import Imaging

/// What all pictures of a movie have in common, and how they are encoded.
public struct MovieFormat: Hashable, Sendable {
  /// How many bits the pictures take. ProRes and FFV1 choose that themselves.
  public enum Rate: Hashable, Sendable {
    /// A constant quality, 1 to 100 as for JPEG: 80 corresponds to the rate factor 23 of x264 and x265.
    case quality(Int)
    /// Bits per second, on average and within each second.
    case bitRate(Int)
  }

  /// How the pictures are coded.
  public var codec: MovieCodec
  /// The size of the pictures; even in both directions, except for FFV1.
  public var size: Size
  /// The pixel format of the pictures that will come. FFV1 keeps its chroma. Pictures in other formats are converted.
  public var pixelFormat: PixelFormat
  /// The range of the coded samples. Pictures of the other range are converted.
  public var range: FrameLayout.Range
  /// The matrix of the pictures. Only ``FrameLayout/Matrix/bt2020`` keeps high dynamic range; otherwise such pictures
  /// get the tones that screens show, which needs ``FrameLayout/Matrix/bt709``.
  public var matrix: FrameLayout.Matrix
  /// The nominal number of pictures per second. The times of the pictures count, and not this rate.
  public var frameRate: Rational
  /// How many bits the pictures take.
  public var rate: Rate
  /// The largest number of pictures from one key frame to the next.
  public var keyFrameDistance: Int

  /// Creates a format.
  ///
  /// - Parameters:
  ///   - layout: the layout of the pictures that will come. Those of high dynamic range are coded in BT.709.
  ///   - range: the range of the coded samples; nil keeps the range of `layout` for FFV1, and is limited otherwise,
  ///     because many players take every movie for one of limited range.
  ///   - frameRate: the nominal number of pictures per second.
  ///   - keyFrameDistance: the largest number of pictures from one key frame to the next; nil is two seconds.
  public init(
    _ codec: MovieCodec, of layout: FrameLayout, range: FrameLayout.Range? = nil, frameRate: Rational,
    rate: Rate = .quality(80), keyFrameDistance: Int? = nil
  ) {
    self.codec = codec
    size = codec.size(of: layout.size)
    pixelFormat = layout.pixelFormat
    self.range = range ?? (codec == .ffv1 && !layout.isHighDynamicRange ? layout.range : .limited)
    let coded = PictureConverter.layout(of: layout, in: .nv12, layout.size, range: nil, mapsTones: true)
    matrix = coded?.matrix ?? layout.matrix
    self.frameRate = frameRate
    self.rate = rate
    self.keyFrameDistance = keyFrameDistance ?? max(1, Int((2 * frameRate.value).rounded()))
  }

  /// The format in which an encoder of this kind takes the pictures.
  func input(of kind: cvideo_kind) -> PixelFormat {
    switch codec {
    case .h264 where kind == CVIDEO_SOFTWARE && pixelFormat == .yuv420: .yuv420
    case .hevc where kind == CVIDEO_SOFTWARE: .yuv420
    case .proRes: .yuv422p
    case .ffv1:
      switch pixelFormat {
      case .grey, .y10, .y12, .y14, .y16, .y16BE: .grey
      case .nv12, .nv21, .yuv420, .yvu420, .p010: .yuv420
      default: .yuv422p
      }
    default: .nv12
    }
  }

  /// The format as the encoder of this kind takes it.
  func inC(_ kind: cvideo_kind, threads: Int) -> cvideo_movie_format {
    var (quantizer, bits) = (0, 0)
    switch rate {
    case .quality(let quality): quantizer = H264Encoder.quantizer(quality)
    case .bitRate(let rate): bits = max(1, rate)
    }
    return cvideo_movie_format(
      codec: codec.inC, pixels: input(of: kind).inC, width: Int32(size.width), height: Int32(size.height),
      is_full_range: range == .full, matrix: matrix.inC, rate_numerator: Int32(clamping: frameRate.numerator),
      rate_denominator: Int32(clamping: frameRate.denominator), quantizer: Int32(quantizer), bit_rate: Int64(bits),
      key_frame_distance: Int32(clamping: max(1, keyFrameDistance)), threads: Int32(threads))
  }
}

extension FrameLayout.Matrix {
  var inC: cvideo_matrix {
    switch self {
    case .bt601: CVIDEO_BT601
    case .bt709: CVIDEO_BT709
    case .bt2020: CVIDEO_BT2020
    }
  }
}

extension PixelFormat {
  fileprivate var inC: cvideo_pixels {
    switch self {
    case .yuv420: CVIDEO_YUV420
    case .yuv422p: CVIDEO_YUV422
    case .grey: CVIDEO_GREY
    default: CVIDEO_NV12
    }
  }
}

/// What a file says of its tracks in one place and for all of their samples, such as the parameter sets, as digests
/// that a record can keep. A value.
public struct MovieForm: Hashable, Sendable {
  /// The ``MovieTrack/digest`` of each track, by its number: 0 is the track of the pictures, and the tracks of sound
  /// follow.
  public var digests: [Int: UInt64]

  /// Creates a form of known digests.
  public init(digests: [Int: UInt64]) { self.digests = digests }

  /// The form of the tracks that have samples.
  public init(of index: MovieIndex) {
    let tracks = [(0, index.pictures.track)] + index.sounds.map { ($0.key + 1, $0.value.track) }
    digests = Dictionary(uniqueKeysWithValues: tracks.map { ($0, $1.digest) })
  }

  /// Reads the beginning of a file in MP4 or QuickTime. The file may be cut off, and may grow meanwhile. Blocks.
  ///
  /// - Parameter path: the path of the file.
  /// - Throws: `formatNotSupported` when libavformat is not installed; `processingFailed` when it cannot open the file.
  public init(of path: String, container: MovieContainer) throws(CaptureError) {
    guard MovieContainer.isAvailable else { throw .withoutLibrary("libavformat is not installed") }
    var found = [UInt64](repeating: 0, count: Int(CVIDEO_MAXIMUM_TRACKS))
    var count: Int32 = 0
    let (result, cause) = withMessage { message in
      found.withUnsafeMutableBufferPointer {
        cvideo_read_digests(container.inC, "file:\(path)", $0.baseAddress!, &count, message)
      }
    }
    guard result == CVIDEO_OK else {
      throw CaptureError(.processingFailed, "The movie cannot be read: \(cause).", metadata: ["cause": cause])
    }
    digests = Dictionary(uniqueKeysWithValues: found.prefix(Int(count)).enumerated().map { ($0, $1) })
  }
}

extension CaptureError {
  /// A movie cannot be written because the system refused.
  static func writing(_ number: Int32) -> CaptureError { .system(MovieFileSink.action, number) }

  /// A movie cannot be made with the libraries that are installed.
  static func withoutLibrary(_ cause: String) -> CaptureError {
    CaptureError(
      .formatNotSupported, "The movie cannot be made: \(cause); install FFmpeg's libraries, or ask for another codec.",
      metadata: ["cause": cause])
  }
}

/// Calls a function of C that writes a message when it fails.
func withMessage<R>(_ body: (UnsafeMutablePointer<CChar>) -> R) -> (R, message: String) {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 160) { message in
    message.initialize(repeating: 0)
    let result = body(message.baseAddress!)
    return (result, String(cString: message.baseAddress!))
  }
}

internal import CVideoCoding
public import CaptureCore
public import Imaging

/// Encodes the pictures of a movie with libavcodec. The encoder may hold pictures back, to spend the bits better.
/// Thread-bound: only one thread may use an encoder.
///
/// No picture refers to a later one, so samples come in the order of the pictures. Where hardware is allowed, the
/// encoder tries hardware encoders (V4L2 memory-to-memory, VAAPI) first. It keeps the encoder that opened, because the
/// track of a movie describes one encoder; when that fails, another movie has to begin. No hardware encoder was
/// available to test with.
public final class MovieEncoder {
  /// What all pictures have in common.
  public let format: MovieFormat
  /// libavcodec's name of the encoder.
  public let name: String
  /// Whether the encoder is the machine's own.
  public let isHardware: Bool
  /// The track of the samples. It is known from the start; only with a V4L2 encoder it is nil until the first sample.
  public private(set) var track: MovieTrack?
  /// The number of coded pictures that were lost because the pool was used up. After such a loss no sample comes until
  /// the next key frame, so that all samples can be decoded.
  public private(set) var lostSamples = 0

  private let handle: OpaquePointer
  private let input: PixelFormat
  private let pool: FramePool
  private let converter: PictureConverter
  private var times = PendingTimes()
  private var newest: UInt64?
  private var waitsForKeyFrame = false

  /// Opens the first encoder that can be opened.
  ///
  /// - Parameters:
  ///   - pool: The pool from which samples and converted pictures take their memory.
  ///   - allowsHardware: Whether the machine's hardware encoders are tried.
  ///   - threads: The number of threads that encode; 0 leaves the choice to the encoder.
  /// - Throws: `formatNotSupported` when no encoder can be made.
  public init(
    _ format: MovieFormat, pool: FramePool, allowsHardware: Bool = false, threads: Int = 0
  ) throws(CaptureError) {
    guard format.isPossible else {
      throw CaptureError(
        .formatNotSupported, "A movie in \(format.codec.rawValue) cannot have \(format.size) at \(format.frameRate)/s.",
        metadata: ["codec": format.codec.rawValue, "size": "\(format.size)", "rate": "\(format.frameRate)"])
    }
    var opened: (handle: OpaquePointer, kind: cvideo_kind)?
    var cause = "there is no encoder for it"
    for kind in MovieCodec.kinds(allowsHardware: allowsHardware) where opened == nil {
      guard cvideo_movie_encoder_name(format.codec.inC, kind) != nil else { continue }
      var inC = format.inC(kind, threads: threads)
      let (handle, message) = withMessage { cvideo_movie_encoder_create(kind, &inC, $0) }
      if let handle { opened = (handle, kind) } else { cause = message }
    }
    guard let (handle, kind) = opened else { throw .withoutLibrary(cause) }
    self.format = format
    self.handle = handle
    self.pool = pool
    converter = PictureConverter(pool: pool)
    name = String(cString: cvideo_movie_encoder_name(format.codec.inC, kind)!)
    isHardware = kind != CVIDEO_SOFTWARE
    input = format.input(of: kind)
    track = cvideo_movie_encoder_track(handle, nil, 0).map { MovieTrack(.pictures(format.codec), owning: $0) }
  }

  deinit { cvideo_movie_encoder_destroy(handle) }

  /// Encodes the next picture.
  ///
  /// - Parameters:
  ///   - picture: A picture of the format's size and matrix, in any pixel format that ``PictureConverter`` reads. NV12
  ///     and planar 4:2:0 are encoded to H.264 where they lie. A picture may be larger by a column and a line, which
  ///     the movie then lacks.
  ///   - time: When the picture is shown, in nanoseconds from the start of the movie; later than the picture before.
  ///   - duration: How long the picture is shown, in nanoseconds; nil is what the format's rate says.
  ///   - forcesKeyFrame: Whether the coded picture must be a key frame. The first coded picture always is one.
  /// - Returns: The samples that are ready, mostly of earlier pictures.
  /// - Throws: `formatNotSupported` for a picture that does not fit the format; `frameDamaged` for a damaged JPEG;
  ///   `outOfBuffers` when there is no memory for a converted picture; in these cases the next picture may follow.
  ///   `processingFailed` when the encoder fails, which ends it.
  public func encode(
    _ picture: Picture, at time: UInt64, lasting duration: UInt64? = nil, forcesKeyFrame: Bool = false
  ) throws(CaptureError) -> [MovieSample] {
    guard newest.map({ $0 < time }) ?? true else {
      throw CaptureError(.invalidArgument, "The times of a movie's pictures must increase.")
    }
    let source = try converted(picture)
    let layout = source.layout
    var inC = cvideo_movie_picture()
    inC.time = times.add(time, lasting: duration ?? UInt64(1e9 / format.frameRate.value))
    inC.is_key_frame = forcesKeyFrame || waitsForKeyFrame
    inC.byte_count = source.buffer.count - layout.planes[0].offset
    newest = time
    let result = source.buffer.withUnsafeBytes { bytes in
      let base = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      func plane(_ index: Int) -> UnsafePointer<UInt8>? {
        layout.planes.indices.contains(index) ? base + layout.planes[index].offset : nil
      }
      func stride(_ index: Int) -> Int32 {
        layout.planes.indices.contains(index) ? Int32(layout.planes[index].stride) : 0
      }
      inC.planes = (plane(0), plane(1), plane(2))
      inC.strides = (stride(0), stride(1), stride(2))
      return cvideo_movie_encoder_send(handle, &inC)
    }
    guard result == CVIDEO_OK else { throw failure }
    return try takeSamples()
  }

  /// Ends the movie.
  ///
  /// - Returns: The samples of the pictures that the encoder still held.
  /// - Throws: `processingFailed` when the encoder fails.
  public func finish() throws(CaptureError) -> [MovieSample] {
    guard cvideo_movie_encoder_send(handle, nil) == CVIDEO_OK else { throw failure }
    return try takeSamples()
  }

  /// The picture as the encoder takes it; the picture itself when it fits. Either way, every byte of it was checked to
  /// lie in its memory.
  private func converted(_ picture: Picture) throws(CaptureError) -> Picture {
    var result: Picture?
    if format.codec.size(of: picture.layout.size) == format.size {
      let whole = try converter.convert(picture, to: input, range: format.range, mapsTones: format.matrix != .bt2020)
      let isLarger = whole.layout.size != format.size
      result = isLarger ? try whole.cropped(to: Crop(x: 0, y: 0, size: format.size)) : whole
    }
    guard let result, result.layout.matrix == format.matrix || input == .grey else {
      throw CaptureError(
        .formatNotSupported,
        "A picture of \(picture.layout.size) in \(picture.layout.matrix) does not fit a movie of \(format.size) in "
          + "\(format.matrix).", metadata: ["size": "\(picture.layout.size)", "movie": "\(format.size)"])
    }
    return result
  }

  private func takeSamples() throws(CaptureError) -> [MovieSample] {
    var samples: [MovieSample] = []
    while true {
      var packet = cvideo_packet()
      switch cvideo_movie_encoder_receive(handle, &packet) {
      case CVIDEO_OK: if let sample = try sample(packet) { samples.append(sample) }
      case CVIDEO_LATE, CVIDEO_ENDED: return samples
      default: throw failure
      }
    }
  }

  /// The sample of a packet; nil when it is lost.
  private func sample(_ packet: cvideo_packet) throws(CaptureError) -> MovieSample? {
    guard let (time, duration) = times.take(packet.time) else {
      throw CaptureError(.processingFailed, "\(name) returned a picture at a time that no picture has.")
    }
    if packet.is_key_frame { waitsForKeyFrame = false }
    guard !waitsForKeyFrame, let memory = pool.take(packet.count) else {
      lostSamples += 1
      waitsForKeyFrame = true
      return nil
    }
    if track == nil {
      track = cvideo_movie_encoder_track(handle, packet.data, packet.count).map {
        MovieTrack(.pictures(format.codec), owning: $0)
      }
    }
    memory.bytes.copyMemory(from: UnsafeRawBufferPointer(start: packet.data, count: packet.count))
    let early = PendingTimes.nanoseconds(packet.time - packet.decode_time)
    return MovieSample(
      bytes: memory.freeze(count: packet.count), presentationTime: time, decodeTime: time - min(time, early),
      duration: duration, isKeyFrame: packet.is_key_frame)
  }

  private var failure: CaptureError {
    let cause = String(cString: cvideo_movie_encoder_message(handle))
    return CaptureError(.processingFailed, "Encoding by \(name) failed: \(cause).", metadata: ["cause": cause])
  }
}

extension MovieFormat {
  /// Whether an encoder may be asked for the format at all.
  fileprivate var isPossible: Bool {
    let isEven = size.width % 2 == 0 && size.height % 2 == 0
    return frameRate.value > 0 && size.width > 0 && size.height > 0 && size.width <= 16_384 && size.height <= 16_384
      && (isEven || codec == .ffv1) && codec != .motionJPEG
  }
}

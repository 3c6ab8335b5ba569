internal import CVideoCoding
public import CaptureCore
public import SystemClocks

/// Writes the samples of a movie to a sink with libavformat. Thread-bound: only one thread may use a muxer.
///
/// MP4 and QuickTime are written in fragments, which only ever append to the sink. What a crash leaves can be played to
/// the last whole fragment. After an error the muxer truncates the sink to the last whole fragment, and throws the
/// error again at each call.
public final class MovieMuxer {
  /// The format of the movie.
  public let container: MovieContainer
  /// The number of bytes from the start of the movie to the end of the last whole fragment.
  public private(set) var playableCount: Int64 = 0
  /// The number of bytes that the sink was given so far, also of a fragment that is not whole.
  public var writtenCount: Int64 { output.length }
  private let output: Output
  private let handle: OpaquePointer
  private let trackCount: Int
  private var failure: CaptureError?
  private var isFinished = false

  /// Begins a movie, and writes its beginning to the sink.
  ///
  /// - Parameters:
  ///   - tracks: The tracks, at least one.
  ///   - creationTime: When the movie was made; nil leaves it out.
  ///   - isEndless: Whether MP4 and QuickTime go without a list of their fragments at the end. The muxer would keep
  ///     that list in memory, where it grows with each fragment.
  /// - Throws: The error of the sink; `formatNotSupported` when the container cannot hold a track or when libavformat
  ///   is not installed; `processingFailed` when libavformat refuses.
  public init(
    _ container: MovieContainer, tracks: [MovieTrack], sink: any MovieSink, creationTime: WallInstant? = nil,
    isEndless: Bool = false
  ) throws(CaptureError) {
    for track in tracks where !container.holds(track.media) {
      throw CaptureError(
        .formatNotSupported, "\(container.rawValue) cannot hold \(track.media.codecName).",
        metadata: ["container": container.rawValue, "codec": track.media.codecName])
    }
    guard MovieContainer.isAvailable else { throw .withoutLibrary("libavformat is not installed") }
    let output = Output(sink)
    var inC = cvideo_sink(
      context: Unmanaged.passUnretained(output).toOpaque(),
      write: { Output.of($0).write(UnsafeRawBufferPointer(start: $1, count: $2)) },
      seek: sink.canSeek ? { Output.of($0).seek(to: $1) } : nil)
    let microseconds = Int64((creationTime?.nanoseconds ?? 0) / 1000)
    let handles: [OpaquePointer] = tracks.map(\.handle)
    let (handle, cause) = withExtendedLifetime(tracks) {
      withMessage {
        cvideo_muxer_create(container.inC, handles, Int32(handles.count), &inC, microseconds, isEndless, $0)
      }
    }
    guard let handle else {
      throw output.failure
        ?? CaptureError(.processingFailed, "The movie cannot be written: \(cause).", metadata: ["cause": cause])
    }
    self.container = container
    self.output = output
    self.handle = handle
    trackCount = tracks.count
    playableCount = output.offset
  }

  deinit { cvideo_muxer_destroy(handle) }

  /// Adds a sample. MP4 and QuickTime keep a copy of it until the fragment ends.
  ///
  /// - Parameter track: The index of the sample's track. The samples of a track come in the order of their times.
  /// - Throws: The error of the sink; `processingFailed` when libavformat refuses.
  public func append(_ sample: MovieSample, to track: Int = 0) throws(CaptureError) {
    precondition(track < trackCount && !isFinished, "no such track, or a movie that is finished")
    if let failure { throw failure }
    let result = sample.bytes.withUnsafeBytes { bytes in
      var inC = cvideo_sample(
        data: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), count: bytes.count,
        time: Int64(sample.presentationTime), decode_time: Int64(sample.decodeTime), duration: Int64(sample.duration),
        is_key_frame: sample.isKeyFrame)
      return cvideo_muxer_write(handle, Int32(track), &inC)
    }
    try check(result)
  }

  /// Ends the fragment: the sink has everything that was added when this method returns. The next sample should be a
  /// key frame, so that a player can begin there.
  ///
  /// - Throws: The error of the sink; `processingFailed` when libavformat refuses.
  public func endFragment() throws(CaptureError) {
    precondition(!isFinished, "a movie that is finished")
    if let failure { throw failure }
    try check(cvideo_muxer_end_fragment(handle))
    playableCount = output.offset
  }

  /// Ends the last fragment and the movie. No other call may follow.
  ///
  /// - Throws: The error of the sink; `processingFailed` when libavformat refuses.
  public func finish() throws(CaptureError) {
    precondition(!isFinished, "a movie that is finished")
    if let failure { throw failure }
    try check(cvideo_muxer_finish(handle))
    playableCount = output.length
    isFinished = true
  }

  private func check(_ result: cvideo_result) throws(CaptureError) {
    guard result != CVIDEO_OK else { return }
    let cause = String(cString: cvideo_muxer_message(handle))
    let error =
      output.failure
      ?? CaptureError(.processingFailed, "The movie cannot be written: \(cause).", metadata: ["cause": cause])
    failure = error
    output.truncate(to: playableCount)
    throw error
  }
}

/// A sink as C calls it. It keeps the first error of the sink, because C carries only a number.
private final class Output {
  private let sink: any MovieSink
  private(set) var failure: CaptureError?
  private(set) var offset: Int64 = 0
  private(set) var length: Int64 = 0

  init(_ sink: any MovieSink) { self.sink = sink }

  static func of(_ context: UnsafeMutableRawPointer?) -> Output {
    Unmanaged<Output>.fromOpaque(context!).takeUnretainedValue()
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    number { () throws(CaptureError) in
      try sink.write(bytes)
      offset += Int64(bytes.count)
      length = max(length, offset)
    }
  }

  func seek(to offset: Int64) -> Int32 {
    number { () throws(CaptureError) in
      try sink.seek(to: offset)
      self.offset = offset
    }
  }

  func truncate(to offset: Int64) { sink.truncate(to: offset) }

  /// The error number of the system for the outcome of `body`: 0 for success, and 5 (EIO) for an error without a
  /// number.
  private func number(_ body: () throws(CaptureError) -> Void) -> Int32 {
    do {
      try body()
      return 0
    } catch {
      failure = failure ?? error
      return error.errorNumber ?? 5
    }
  }
}

/// The times of the pictures that an encoder holds. Encoders count ticks of a microsecond, and the samples get back
/// exactly the nanoseconds that their pictures came with.
struct PendingTimes {
  private struct Entry {
    let tick: Int64
    let time: UInt64
    let duration: UInt64
  }
  private var entries: [Entry] = []
  private var newest: Int64 = -1

  /// The tick of a picture. Two pictures never have the same tick, even when they are nearer to each other.
  mutating func add(_ time: UInt64, lasting duration: UInt64) -> Int64 {
    newest = max(newest + 1, Self.ticks(time))
    entries.append(Entry(tick: newest, time: time, duration: duration))
    return newest
  }

  /// Takes out the time of the picture with this tick. Pictures before it will not come any more: coded pictures come
  /// in the order of their times.
  mutating func take(_ tick: Int64) -> (time: UInt64, duration: UInt64)? {
    guard let index = entries.firstIndex(where: { $0.tick >= tick }), entries[index].tick == tick else { return nil }
    let entry = entries[index]
    entries.removeSubrange(...index)
    return (entry.time, entry.duration)
  }

  /// The nearest tick. Counts whole seconds apart, so that no product overflows.
  static func ticks(_ nanoseconds: UInt64) -> Int64 {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let ticks = UInt64(CVIDEO_TICKS_PER_SECOND)
    return Int64(seconds * ticks + (rest * ticks + 500_000_000) / 1_000_000_000)
  }

  /// The nanoseconds of a number of ticks.
  static func nanoseconds(_ ticks: Int64) -> UInt64 {
    let (seconds, rest) = UInt64(max(0, ticks)).quotientAndRemainder(dividingBy: UInt64(CVIDEO_TICKS_PER_SECOND))
    return seconds * 1_000_000_000 + rest * 1_000_000_000 / UInt64(CVIDEO_TICKS_PER_SECOND)
  }
}

/// A coded picture, or a packet of coded sound, with its place in the movie. Times are nanoseconds from the start of
/// the movie.
public struct MovieSample: Sendable {
  /// The coded bytes: H.264 and HEVC in annex B, all others as their encoder made them. A camera's own JPEG can be a
  /// sample without a copy.
  public var bytes: FrameBuffer
  /// When the picture is shown.
  public var presentationTime: UInt64
  /// When the picture must be decoded. The same as ``presentationTime``, because no picture refers to a later one.
  public var decodeTime: UInt64
  /// How long the picture is shown. When the next sample begins later, the movie has a gap. MP4 and QuickTime keep this
  /// of the last sample of a fragment; the others are shown until the next one.
  public var duration: UInt64
  /// Whether a decoder can begin with this picture.
  public var isKeyFrame: Bool

  /// Creates a sample.
  ///
  /// - Parameter decodeTime: when the picture must be decoded; nil is the same as `presentationTime`.
  public init(
    bytes: FrameBuffer, presentationTime: UInt64, decodeTime: UInt64? = nil, duration: UInt64, isKeyFrame: Bool
  ) {
    self.bytes = bytes
    self.presentationTime = presentationTime
    self.decodeTime = decodeTime ?? presentationTime
    self.duration = duration
    self.isKeyFrame = isKeyFrame
  }
}

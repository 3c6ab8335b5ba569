public import CaptureCore
public import Imaging
internal import SystemClocks

/// A movie that a viewer watches while it is made. Its pictures are in H.264, and come from ``H264Encoder`` or from a
/// camera. Each picture becomes a piece of bytes that the daemon can send at once: no picture waits for the next one.
/// Thread-bound: only one thread at a time may use a movie.
///
/// The times are those of the capture, counted from the first picture. A missing picture is a gap. Sound, in AAC, goes
/// into the piece of the next picture.
public final class LiveMovie {
  /// The format of the movie.
  public let container: MovieContainer
  private var started: (muxer: MovieMuxer, track: MovieTrack, start: MonotonicInstant)?
  private let sink = PieceSink()
  private let connections: [AudioConnection]
  private var timelines: AudioTimelines
  private var tracks: AudioTracks?
  private var newest: MonotonicInstant?
  /// How long the newest picture is shown, as far as that is known when the picture must be sent.
  private var period: UInt64 = 1_000_000_000 / 30

  /// The longest time between two pictures that counts as the period of the pictures, in nanoseconds. A longer time is
  /// a gap.
  private static let longestPeriod: UInt64 = 1_000_000_000
  /// The longest gap in the pictures of a movie with sound, in nanoseconds. A longer one ends the movie.
  private static let longestGap: UInt64 = 30_000_000_000

  /// Makes a movie, which begins with its first key frame. Loads no library yet.
  ///
  /// - Parameters:
  ///   - container: MP4 or MPEG-TS.
  ///   - audio: the microphones, each of which has a track.
  public init(_ container: MovieContainer, audio: [AudioConnection] = []) {
    self.container = container
    // The movie leaves out a microphone whose format AAC cannot encode, because pictures alone are better than nothing.
    connections = audio.filter { AudioCodec.aac.takes($0.format) }
    timelines = AudioTimelines(connections)
  }

  /// Adds sound of a microphone. The movie leaves out sound from before the first picture.
  ///
  /// - Throws: `processingFailed` when the encoder fails. Nothing may follow an error.
  public func add(_ block: AudioBlock, of input: String) throws(CaptureError) {
    for piece in timelines.add(block, of: input) { try tracks?.add(piece) }
  }

  /// Adds a picture.
  ///
  /// - Parameters:
  ///   - picture: A picture in H.264, later than the picture before.
  ///   - isKeyFrame: Whether a decoder can begin with the picture. The first picture must be a key frame.
  ///   - time: When the picture was captured.
  /// - Returns: The piece of the picture, which follows the piece of the picture before. The first piece has the
  ///   beginning of the movie too. Nil when the movie must end before this picture: it has other parameter sets, so a
  ///   decoder of the movie could not decode it, or it comes after a long gap in a movie with sound.
  /// - Throws: `formatNotSupported` when libavformat is not installed; `processingFailed` when libavformat refuses, or
  ///   when the first picture is no key frame. No picture may follow an error.
  public func append(_ picture: Picture, isKeyFrame: Bool, at time: FrameTime) throws(CaptureError) -> [UInt8]? {
    if isKeyFrame, let started, !started.track.describes(picture) { return nil }
    // End the movie after a long gap. Otherwise it would have to fill all that time with silence.
    if !connections.isEmpty, let newest, time.monotonic.nanoseconds(since: newest) > Self.longestGap { return nil }
    let (muxer, start) = try muxer(for: picture, at: time)
    if let newest, newest < time.monotonic {
      let distance = time.monotonic.nanoseconds(since: newest)
      if distance <= Self.longestPeriod { period = distance }
    }
    let movieTime = time.monotonic.nanoseconds(since: start)
    for piece in timelines.place(time.monotonic, at: movieTime, period: period, continues: newest != nil) {
      try tracks?.add(piece)
    }
    newest = time.monotonic
    for (sample, track) in tracks?.take(before: movieTime) ?? [] { try muxer.append(sample, to: 1 + track) }
    try muxer.append(
      MovieSample(
        bytes: picture.buffer, presentationTime: movieTime, duration: period, isKeyFrame: isKeyFrame))
    try muxer.endFragment()
    return sink.take()
  }

  private func muxer(
    for picture: Picture, at time: FrameTime
  ) throws(CaptureError) -> (MovieMuxer, start: MonotonicInstant) {
    if let started { return (started.muxer, started.start) }
    let track = try MovieTrack(of: picture)
    let tracks = try AudioTracks(.aac, connections)
    self.tracks = tracks
    let muxer = try MovieMuxer(
      container, tracks: [track] + tracks.tracks, sink: sink, creationTime: time.wall, isEndless: true)
    started = (muxer, track, time.monotonic)
    return (muxer, time.monotonic)
  }
}

/// Collects the bytes of one picture.
private final class PieceSink: MovieSink {
  private var bytes: [UInt8] = []

  var canSeek: Bool { false }

  func write(_ new: UnsafeRawBufferPointer) throws(CaptureError) { bytes.append(contentsOf: new) }

  func seek(to offset: Int64) throws(CaptureError) {
    throw CaptureError(.processingFailed, "A live movie cannot seek.")
  }

  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

internal import CaptureCore
internal import FrameDelivery
internal import SystemClocks
internal import SystemFiles
internal import VideoCoding

/// Writes one chunk. All methods block.
///
/// The writer first writes the chunk in fragments of about a second, so that the chunk is never in memory as a whole.
/// At the end it copies the chunk into another temporary file, with the index in front.
final class ChunkWriter {
  private let track: MovieTrack
  private let muxer: MovieMuxer
  private let audio: AudioTracks
  private var timelines: AudioTimelines
  private let file: TemporaryFile
  private let folder: String
  private var chunk: DelayedChunk
  private var newest: MonotonicInstant
  /// The time between the newest two pictures, in nanoseconds, which is also how long the newest one is shown.
  private var period: UInt64 = 1_000_000_000 / 30
  /// When the open fragment began, and its bytes.
  private var fragment: (start: MonotonicInstant, bytes: Int)

  private static let fragmentDuration: UInt64 = 1_000_000_000
  private static let fragmentBytes = 8 << 20

  /// Begins a chunk with its first picture, which is a key frame.
  ///
  /// - Parameter connections: the microphones whose sound the chunk has, each in a track.
  /// - Throws: `processingFailed` when the disk or libavformat refuses; `formatNotSupported` without libavformat.
  init(
    _ first: PreviewPicture, _ connections: [AudioConnection] = [], in folder: String
  ) throws(CaptureError) {
    let frame = first.captured.frame
    self.folder = folder
    track = try MovieTrack(of: first.picture)
    // The chunk leaves out a microphone whose format AAC cannot encode.
    let connections = connections.filter { AudioCodec.aac.takes($0.format) }
    audio = try AudioTracks(.aac, connections)
    timelines = AudioTimelines(connections)
    file = try TemporaryFile(in: folder)
    muxer = try MovieMuxer(
      .mp4, tracks: [track] + audio.tracks, sink: MovieFileSink(file.reopened()), creationTime: frame.time.wall)
    newest = frame.time.monotonic
    fragment = (newest, 0)
    chunk = DelayedChunk(
      start: frame.time, duration: 0, frameCount: 0, streamID: frame.streamID, firstSequence: frame.sequence,
      lastSequence: frame.sequence, size: frame.layout.size, byteCount: 0)
    try append(first)
  }

  /// Whether a decoder of this chunk can decode a key frame.
  func fits(_ picture: PreviewPicture) -> Bool { track.describes(picture.picture) }

  /// Whether a frame is of the same stream. If it is, the duration of this chunk lasts until that frame was captured.
  func precedes(_ frame: Frame) -> Bool { frame.streamID == chunk.streamID }

  /// Adds sound of a microphone. The chunk leaves out sound from before its first picture or after its end.
  func add(_ block: AudioBlock, of input: String) throws(CaptureError) {
    for piece in timelines.add(block, of: input) { try audio.add(piece) }
  }

  /// Adds the next picture.
  func append(_ picture: PreviewPicture) throws(CaptureError) {
    let frame = picture.captured.frame
    let time = frame.time.monotonic
    if chunk.frameCount > 0 {
      period = max(1, time.nanoseconds(since: newest))
      if time.nanoseconds(since: fragment.start) >= Self.fragmentDuration || fragment.bytes > Self.fragmentBytes {
        try muxer.endFragment()
        fragment = (time, 0)
      }
    }
    newest = max(newest, time)
    fragment.bytes += frame.buffer.count
    chunk.frameCount += 1
    chunk.lastSequence = frame.sequence
    chunk.dropped += picture.dropped
    chunk.omitted += picture.omitted
    let movieTime = time.nanoseconds(since: chunk.start.monotonic)
    for piece in timelines.place(time, at: movieTime, period: period, continues: chunk.frameCount > 1) {
      try audio.add(piece)
    }
    try write(audio.take(before: movieTime))
    try muxer.append(
      MovieSample(
        bytes: frame.buffer, presentationTime: movieTime, duration: period, isKeyFrame: picture.isKeyFrame))
  }

  private func write(_ sound: [(sample: MovieSample, track: Int)]) throws(CaptureError) {
    for (sample, track) in sound { try muxer.append(sample, to: 1 + track) }
  }

  /// Ends the chunk.
  ///
  /// - Parameters:
  ///   - next: when the frame after the chunk was captured; nil when none follows.
  ///   - isCancelled: ends the copying when it returns true.
  /// - Returns: the chunk, and its file with the index in front.
  func finish(
    before next: MonotonicInstant?, isCancelled: () -> Bool
  ) throws(CaptureError) -> (DelayedChunk, TemporaryFile) {
    for piece in timelines.end() { try audio.add(piece) }
    try write(try audio.finish())
    try muxer.finish()
    let result = try TemporaryFile(in: folder)
    try file.withPath { source throws(CaptureError) in
      try result.withPath { target throws(CaptureError) in
        try SeekableMovie.copy(from: source, to: target, as: .mp4, isCancelled: isCancelled)
      }
    }
    chunk.duration =
      next?.nanoseconds(since: chunk.start.monotonic)
      ?? newest.nanoseconds(since: chunk.start.monotonic) + period
    chunk.byteCount = result.size
    return (chunk, result)
  }
}

/// Decides which pictures belong to which chunk. A value.
struct ChunkRotation: Sendable {
  /// What the rotation does with a picture.
  enum Place: Hashable, Sendable {
    /// It begins a chunk. A chunk that is open ends before it.
    case begins
    /// It continues the open chunk.
    case continues
    /// It cannot be decoded at the beginning of a chunk, and there is no chunk for it to continue.
    case lost
  }

  /// What the rotation has to know of a picture to find its chunk.
  struct Arrival: Sendable {
    var captured: MonotonicInstant
    var streamID: UInt64
    var isKeyFrame: Bool
    /// Whether a decoder of the open chunk can decode the picture and those after it.
    var fits = true
    var bytes: Int
  }

  /// The size in bytes from which on a chunk ends at the next key frame, even before it has lasted the latency.
  static let largest = 256 << 20
  /// How long an open chunk waits for another picture before it ends, in nanoseconds. The wait begins with the newest
  /// picture, but not before the chunk has lasted the latency.
  static let patience: UInt64 = 1_000_000_000

  private let latency: UInt64
  private var open: (start: MonotonicInstant, streamID: UInt64, bytes: Int, newest: MonotonicInstant)?

  /// - Parameter latency: the least duration of a chunk, in nanoseconds.
  init(latency: UInt64) { self.latency = latency }

  /// Takes a picture.
  ///
  /// - Parameter now: when the picture came.
  /// - Returns: what becomes of the picture, and whether the encoder must be asked for a key frame, because the next
  ///   one begins another chunk.
  mutating func place(_ arrival: Arrival, at now: MonotonicInstant) -> (Place, asksForKeyFrame: Bool) {
    let place: Place
    if let open, arrival.streamID == open.streamID, arrival.fits, !(arrival.isKeyFrame && isFull(at: arrival.captured))
    {
      place = .continues
      self.open?.bytes += arrival.bytes
      self.open?.newest = now
    } else if arrival.isKeyFrame {
      place = .begins
      open = (arrival.captured, arrival.streamID, arrival.bytes, now)
    } else {
      place = .lost
    }
    return (place, place == .lost || isFull(at: arrival.captured))
  }

  private func isFull(at instant: MonotonicInstant) -> Bool {
    guard let open else { return true }
    return instant.nanoseconds(since: open.start) >= latency || open.bytes >= Self.largest
  }

  /// When the open chunk ends although no picture comes. Nil without an open chunk.
  var deadline: MonotonicInstant? {
    open.map { max($0.start + latency, $0.newest) + Self.patience }
  }

  /// Ends the open chunk. The next one begins with a key frame.
  mutating func close() { open = nil }
}

/// The complete chunks of one reader, and the count of the frames that the reader lost with chunks that the queue
/// dropped. A value.
struct ChunkQueue<File: Sendable>: Sendable {
  /// The most complete chunks at once; one of them may be on its way to the reader.
  static var depth: Int { 2 }

  private var waiting: [(chunk: DelayedChunk, file: File)] = []
  private var isSending = false
  private var sent: UInt64 = 0
  /// The frames that the reader lost after the chunk that was sent last and before the oldest chunk that waits.
  private var dropped = DropCounts()
  private var omitted: UInt64 = 0

  /// Adds a complete chunk. When there are too many, the queue drops the oldest one that waits.
  mutating func add(_ chunk: DelayedChunk, _ file: File) {
    waiting.append((chunk, file))
    while waiting.count > Self.depth - (isSending ? 1 : 0) {
      let lost = waiting.removeFirst().chunk
      dropped += lost.dropped
      dropped.late += lost.frameCount
      omitted += lost.omitted
    }
  }

  /// Takes the oldest chunk, to be sent, with its number and all that was lost since the chunk sent before.
  mutating func take() -> (number: UInt64, chunk: DelayedChunk, file: File)? {
    guard !waiting.isEmpty else { return nil }
    var (chunk, file) = waiting.removeFirst()
    chunk.dropped += dropped
    chunk.omitted += omitted
    (dropped, omitted) = (DropCounts(), 0)
    sent += 1
    isSending = true
    return (sent, chunk, file)
  }

  /// Takes note that the chunk that was taken is sent.
  mutating func didSend() { isSending = false }
}

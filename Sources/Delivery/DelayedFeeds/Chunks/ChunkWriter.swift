internal import CaptureCore
internal import FrameDelivery
internal import SystemClocks
internal import SystemFiles
internal import VideoCoding

/// Writes one chunk. All methods block.
///
/// The chunk is first written in fragments of about a second, so that it is never in memory as a whole. At its end it
/// is copied into another temporary file, with its index in front.
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
    // A microphone whose sound AAC does not have is left out.
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

  /// Whether a frame is of the same stream, so that this chunk is shown until the frame was captured.
  func precedes(_ frame: Frame) -> Bool { frame.streamID == chunk.streamID }

  /// Adds sound of a microphone. What is heard before the chunk or after it is left out.
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

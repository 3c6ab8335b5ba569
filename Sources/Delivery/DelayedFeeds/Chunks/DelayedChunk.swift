public import CaptureCore

/// A chunk of a delayed feed: a movie in MP4 with pictures of one stream of the camera and of one size.
public struct DelayedChunk: Hashable, Sendable {
  /// When the first frame was captured.
  public var start: FrameTime
  /// From the capture of the first frame to the end of the last one, in nanoseconds.
  public var duration: UInt64
  /// The number of frames.
  public var frameCount: UInt64
  /// The stream of the frames.
  public var streamID: UInt64
  /// The driver's numbers of the first and the last frame.
  public var firstSequence, lastSequence: UInt64
  /// Frames that were lost in the chunk and since the chunk before, by cause.
  public var dropped = DropCounts()
  /// Frames that were left out in the chunk and since the chunk before, because the reader asked for fewer.
  public var omitted: UInt64 = 0
  /// The size of the pictures.
  public var size: Size
  /// The size of the file in bytes.
  public var byteCount: Int
}

public import CaptureCore

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

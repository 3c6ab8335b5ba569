public import CaptureCore
internal import VideoCoding

/// What one reader wants of a preview.
public struct PreviewRequest: Hashable, Sendable {
  public var encoding: PreviewEncoding
  /// The largest picture wanted, after turning; never scaled up. Nil: as captured.
  public var maxSize: Size?
  /// Means nothing without ``maxSize``.
  public var gravity: PreviewGravity
  /// Clockwise, after what the connection does.
  public var rotation: Orientation.Rotation
  /// Frames per second at most, above 0. Nil: all.
  public var maxFrameRate: Rational?
  /// 1 to 100. Of what is compressed, and not of a camera's own JPEG when it is passed through.
  public var jpegQuality: Int
  /// Whether quality, rate and size are lowered while the reader's link is slow, and raised again. Needs
  /// ``maxUnacknowledgedFrames``.
  public var isAdaptive: Bool
  /// The largest message the client takes, bytes; at least 64 KiB. Pictures are scaled to fit.
  public var maxMessageBytes: Int
  /// Never more unacknowledged frames on the way. 0: off; at most 64.
  public var maxUnacknowledgedFrames: Int

  public init(
    encoding: PreviewEncoding = .jpeg, maxSize: Size? = nil, gravity: PreviewGravity = .resizeAspect,
    rotation: Orientation.Rotation = .none, maxFrameRate: Rational? = nil, jpegQuality: Int = 80,
    isAdaptive: Bool = false,
    maxMessageBytes: Int = 4 << 20, maxUnacknowledgedFrames: Int = 0
  ) {
    self.encoding = encoding
    self.maxSize = maxSize
    self.gravity = gravity
    self.rotation = rotation
    self.maxFrameRate = maxFrameRate
    self.jpegQuality = jpegQuality
    self.isAdaptive = isAdaptive
    self.maxMessageBytes = maxMessageBytes
    self.maxUnacknowledgedFrames = maxUnacknowledgedFrames
  }

  /// Which frames the reader gets.
  func pace(_ reduction: Reduction) -> FramePace { FramePace(maxRate: maxFrameRate, every: reduction.every) }

  /// What the picture's bytes may be: the message less 1 KiB for all that goes with them.
  var maxPictureBytes: Int { maxMessageBytes - 1024 }

  func validate() throws(CaptureError) {
    if let maxSize, maxSize.width < 2 || maxSize.height < 2 {
      throw .outOfRange("max_size", "\(maxSize)", "at least 2x2")
    }
    if let maxFrameRate, maxFrameRate.value <= 0 {
      throw .outOfRange("max_frame_rate", "\(maxFrameRate)", "above 0")
    }
    if !(1...100).contains(jpegQuality) { throw .outOfRange("jpeg_quality", "\(jpegQuality)", "1 to 100") }
    if maxMessageBytes < 64 << 10 {
      throw .outOfRange("max_message_bytes", "\(maxMessageBytes)", "at least \(64 << 10)")
    }
    if !(0...64).contains(maxUnacknowledgedFrames) {
      throw .outOfRange("max_unacknowledged_frames", "\(maxUnacknowledgedFrames)", "0 to 64")
    }
    if isAdaptive, maxUnacknowledgedFrames == 0 {
      throw CaptureError(
        .invalidArgument,
        "adaptive needs acknowledgements, because buffers on the way hide a slow link: "
          + "set max_unacknowledged_frames, for example to 2.", field: "max_unacknowledged_frames")
    }
  }
}

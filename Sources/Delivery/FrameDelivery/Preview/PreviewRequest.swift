public import CaptureCore
internal import Locking
internal import SystemClocks

/// What one reader wants of a preview.
public struct PreviewRequest: Hashable, Sendable {
  /// How pictures are encoded.
  public var encoding: PreviewEncoding
  /// The largest picture that the reader wants, in pixels after turning, at least 2x2. Pictures are never scaled up.
  /// Nil: as large as captured.
  public var maxSize: Size?
  /// How pictures fill ``maxSize``; without effect when that is nil.
  public var gravity: PreviewGravity
  /// How far pictures are turned clockwise, after the connection has turned them.
  public var rotation: Orientation.Rotation
  /// Frames per second at most, above 0. Nil: every frame.
  public var maxFrameRate: Rational?
  /// The quality of JPEG and H.264 pictures, 1 to 100. The quality of a camera's own JPEG that is passed through stays
  /// as it is.
  public var jpegQuality: Int
  /// Whether quality, rate and size are lowered while the reader's link is slow, and raised again later. Needs
  /// ``maxUnacknowledgedFrames`` above 0.
  public var isAdaptive: Bool
  /// The largest message that the client takes, in bytes, at least 64 KiB. Pictures are scaled to fit.
  public var maxMessageBytes: Int
  /// The most frames that may be sent and not yet acknowledged, at most 64. 0 sets no limit.
  public var maxUnacknowledgedFrames: Int

  /// Makes a request without checking its values; ``PreviewOutput/attach(_:)`` checks them. By default the reader gets
  /// every frame as JPEG of quality 80, as large as captured, in messages of at most 4 MiB.
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

  /// Which frames the reader gets when its link asks for `reduction`.
  func pace(_ reduction: Reduction) -> FramePace { FramePace(maxRate: maxFrameRate, every: reduction.every) }

  /// The most bytes that a picture may have: those of the message without 1 KiB for everything that goes with the
  /// picture.
  var maxPictureBytes: Int { maxMessageBytes - 1024 }

  /// - Throws: `invalidArgument` for a value out of its range, or when the reader adapts without acknowledging
  ///   frames.
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

/// How a picture fills the largest size that the reader wants. AVFoundation calls this AVLayerVideoGravity.
public enum PreviewGravity: Hashable, Sendable, CaseIterable {
  /// The picture is stretched to the shape of the wanted size.
  case resize
  /// The picture keeps its own shape and fits within the wanted size.
  case resizeAspect
  /// The picture takes the shape of the wanted size, and the parts beyond that shape are cut off on both sides alike.
  case resizeAspectFill
}

/// The sound of a preview's microphones, for one reader. Thread-safe.
public final class PreviewAudioReader: Sendable {
  /// How much sound of each microphone waits for the reader, in nanoseconds; what is older is forgotten.
  static let longestWait: UInt64 = 2_000_000_000

  /// The microphones and the forms of their sound. They stay as they are while the reader lives, whatever the session
  /// does.
  public let connections: [AudioConnection]
  private let waiting = Locked<[(block: AudioBlock, input: String)]>([])

  init(_ connections: [AudioConnection]) { self.connections = connections }

  /// Takes out all sound that has come since the last call, in order.
  public func take() -> [(block: AudioBlock, input: String)] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  func receive(_ block: AudioBlock, of input: String) {
    waiting.withLock { waiting in
      waiting.append((block, input))
      waiting.removeFirst(waiting.prefix { $0.block.end + Self.longestWait < block.end }.count)
    }
  }
}

/// Hands the sound of a preview to its readers. Thread-safe.
final class PreviewAudio: Sendable {
  private struct Weak { weak var reader: PreviewAudioReader? }
  private let readers = Locked<[Weak]>([])

  func attach(_ connections: [AudioConnection]) -> PreviewAudioReader {
    let reader = PreviewAudioReader(connections)
    readers.withLock { readers in
      readers.removeAll { $0.reader == nil }
      readers.append(Weak(reader: reader))
    }
    return reader
  }

  func receive(_ block: AudioBlock, of input: String) {
    let present = readers.withLock { $0.compactMap(\.reader) }
    for reader in present { reader.receive(block, of: input) }
  }
}

/// A frame together with what the session knows about it.
///
/// An object, so that queues and readers hold it by one reference.
public final class CapturedFrame: Sendable {
  public let frame: Frame
  /// The `id` of the session's input.
  public let input: String
  /// The session's configuration when the frame was captured; grows with every commit.
  public let configRevision: UInt64
  /// The camera's name for people; empty where none is known.
  public let camera: String

  public init(frame: Frame, input: String, configRevision: UInt64, camera: String = "") {
    self.frame = frame
    self.input = input
    self.configRevision = configRevision
    self.camera = camera
  }

  /// The same of another frame, made of this one's.
  public func with(_ frame: Frame) -> CapturedFrame {
    CapturedFrame(frame: frame, input: input, configRevision: configRevision, camera: camera)
  }
}

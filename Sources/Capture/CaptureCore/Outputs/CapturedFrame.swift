/// A frame together with the session's knowledge about it.
///
/// The type is a class, so that queues and readers hold a captured frame by one reference.
public final class CapturedFrame: Sendable {
  /// The frame as the source delivered it.
  public let frame: Frame
  /// The `id` of the session's input.
  public let input: String
  /// The revision of the session's configuration when the frame came, or by which it was composed. The revision grows
  /// with every commit.
  public let configRevision: UInt64
  /// The camera's name for people; empty when no name is known.
  public let camera: String
  /// The id of the device that captured the frame. A composition has an id of its own, which is no device's. Empty for
  /// pictures of a client.
  public let device: String

  /// Creates a captured frame.
  ///
  /// - Parameters:
  ///   - input: the `id` of the session's input.
  ///   - configRevision: the revision of the session's configuration.
  ///   - camera: the camera's name for people; empty when no name is known.
  ///   - device: as ``device``.
  public init(frame: Frame, input: String, configRevision: UInt64, camera: String = "", device: String = "") {
    self.frame = frame
    self.input = input
    self.configRevision = configRevision
    self.camera = camera
    self.device = device
  }

  /// Returns a captured frame that holds `frame` and keeps the input, the revision, the camera and the device of this
  /// one. The caller has made `frame` from this frame.
  public func with(_ frame: Frame) -> CapturedFrame {
    CapturedFrame(frame: frame, input: input, configRevision: configRevision, camera: camera, device: device)
  }
}

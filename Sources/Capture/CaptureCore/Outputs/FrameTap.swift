/// Takes every frame of cameras, in addition to what outputs get, for as long as an output needs that. See
/// ``OutputContext/tap(_:for:)``.
public protocol FrameTap: AnyObject, Sendable {
  /// Takes one frame. The capture threads of the cameras call this method, each for the frames of its camera in order.
  /// The method must be short and must not block.
  func receive(_ frame: CapturedFrame)
}

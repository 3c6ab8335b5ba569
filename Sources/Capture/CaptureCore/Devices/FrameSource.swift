/// A camera that is streaming. The source owns the camera's file descriptor and the capture thread.
public protocol FrameSource: AnyObject, Sendable {
  /// The ``Device/id`` of the camera.
  var deviceID: String { get }
  /// The ``Frame/streamID`` of every frame of this source.
  var streamID: UInt64 { get }
  /// The format of the stream, as the driver confirmed it.
  var format: StreamFormat { get }

  /// Stops the stream (STREAMOFF), then closes the camera. When this method returns, another process can open the
  /// camera, and the source does not call `sink` any more. Calling this method twice, or after the camera was lost, is
  /// harmless.
  func stop() async
}

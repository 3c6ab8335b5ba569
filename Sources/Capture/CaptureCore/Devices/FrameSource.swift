/// A device that is streaming. It owns the device's descriptor and its capture thread.
public protocol FrameSource: AnyObject, Sendable {
  var deviceID: String { get }
  /// As ``Frame/streamID`` of every frame of this source.
  var streamID: UInt64 { get }
  var format: StreamFormat { get }

  /// STREAMOFF, then closes the device: when it returns another process can take it and `sink` is not called again.
  /// Calling it twice, or after the device was lost, is harmless.
  func stop() async
}

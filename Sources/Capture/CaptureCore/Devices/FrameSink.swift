/// Where a source puts its frames. Called on the source's capture thread, one call at a time: never block in it.
public protocol FrameSink: Sendable {
  /// Every frame, in the driver's order.
  func receive(_ frame: Frame)

  /// A picture came that is damaged and will not be received. Told at once; the next frame, if one comes, counts it too.
  func pictureWasDamaged()

  /// The device stopped delivering. Told at once, because closing it may take as long as it takes to find out that it does
  /// not answer either; ``sourceDidEnd(_:)`` follows when it is closed.
  func sourceDidStall(_ error: CaptureError)

  /// The device was lost or failed; the last call of this source. Not called after ``FrameSource/stop()``.
  func sourceDidEnd(_ error: CaptureError)
}

extension FrameSink {
  public func pictureWasDamaged() {}
  public func sourceDidStall(_ error: CaptureError) {}
}

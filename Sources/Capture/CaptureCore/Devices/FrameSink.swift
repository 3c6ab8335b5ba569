/// The receiver of a source's frames. The source calls it on its capture thread, one call at a time, so no method may
/// block.
public protocol FrameSink: Sendable {
  /// Takes the next frame. Every frame comes, in the driver's order.
  func receive(_ frame: Frame)

  /// Takes the next frame of a composition, which has the layers of a revision of the configuration. The revision may
  /// be the former one by now, because composing takes time.
  func receive(_ frame: Frame, ofRevision revision: UInt64)

  /// Notes that the camera delivered a damaged picture, which the sink will not receive. The source calls this at once;
  /// the next frame, if one comes, counts the damaged picture too (``Frame/missing``).
  func pictureWasDamaged()

  /// Notes that the camera does something otherwise than its driver says. The source calls this once for each oddity of
  /// a stream.
  func sourceIsOdd(_ oddity: SourceOddity)

  /// Notes that the camera stopped delivering frames. The source calls this at once and closes the camera afterwards,
  /// because closing may take as long as it takes to find out that the camera does not answer either. When the camera
  /// is closed, ``sourceDidEnd(_:)`` follows.
  func sourceDidStall(_ error: CaptureError)

  /// Notes that the camera was lost or failed. This is the last call of a source. The source does not make this call
  /// after ``FrameSource/stop()``.
  func sourceDidEnd(_ error: CaptureError)
}

extension FrameSink {
  /// Takes the frame like a camera's, unless the sink implements this method.
  public func receive(_ frame: Frame, ofRevision revision: UInt64) { receive(frame) }
  /// Does nothing, unless the sink counts damaged pictures and implements this method.
  public func pictureWasDamaged() {}
  /// Does nothing, unless the sink implements this method.
  public func sourceIsOdd(_ oddity: SourceOddity) {}
  /// Does nothing, unless the sink implements this method.
  public func sourceDidStall(_ error: CaptureError) {}
}

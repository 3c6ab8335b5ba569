public import CaptureCore

/// Keeps every frame and the end of a source.
public final class RecordingSink: FrameSink {
  /// In the order received. Holds the frames' memory until ``Recorder/removeAll()``.
  public let frames = Recorder<Frame>()
  /// At most one by the contract of ``FrameSink``; a second one shows here.
  public let ends = Recorder<CaptureError>()

  public init() {}

  public func receive(_ frame: Frame) { frames.append(frame) }

  public func sourceDidEnd(_ error: CaptureError) { ends.append(error) }
}

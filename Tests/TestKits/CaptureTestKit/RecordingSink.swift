public import CaptureCore

/// A sink that records every frame of a source, and the end of the source.
public final class RecordingSink: FrameSink {
  /// The frames, in the order in which they came. The recorder keeps the frames' memory until ``Recorder/removeAll()``.
  public let frames = Recorder<Frame>()
  /// The revision of each frame of a composition, in the order in which they came.
  public let revisions = Recorder<UInt64>()
  /// The error of each end of the source. The contract of ``FrameSink`` allows one; a test sees a second one here.
  public let ends = Recorder<CaptureError>()

  /// Creates a sink that has received nothing.
  public init() {}

  /// Records the frame in ``frames``.
  public func receive(_ frame: Frame) { frames.append(frame) }

  /// Records the frame in ``frames``, and before it the revision in ``revisions``.
  public func receive(_ frame: Frame, ofRevision revision: UInt64) {
    revisions.append(revision)
    frames.append(frame)
  }

  /// Records the error in ``ends``.
  public func sourceDidEnd(_ error: CaptureError) { ends.append(error) }
}

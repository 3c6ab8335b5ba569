public import CaptureCore

/// What a reader of a video data output gets.
public enum VideoDataEvent: Sendable {
  case status(VideoDataStatus)
  /// A frame, the frames that this reader lost since the frame before by cause, and what all readers of this frame
  /// share. The memo is nil when only one reader gets the frame.
  case frame(CapturedFrame, dropped: DropCounts, memo: PictureMemo?)
}

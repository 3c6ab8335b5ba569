public import CaptureCore

/// What a video data reader gets.
public enum VideoDataEvent: Sendable {
  case status(VideoDataStatus)
  /// The frame, what this reader missed since the one before, and what is shared with who gets it too.
  case frame(CapturedFrame, dropped: DropCounts, memo: PictureMemo?)
}

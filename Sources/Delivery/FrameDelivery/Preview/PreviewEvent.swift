internal import CaptureCore

/// What a reader of a preview gets.
public enum PreviewEvent: Sendable {
  case status(PreviewStatus)
  case frame(PreviewPicture)
}

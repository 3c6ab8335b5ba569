internal import CaptureCore
internal import Imaging

/// What a reader of a preview gets.
public enum PreviewEvent: Sendable {
  case status(PreviewStatus)
  case frame(PreviewPicture)
}

internal import CaptureCore
internal import Imaging

/// What a preview reader gets.
public enum PreviewEvent: Sendable {
  case status(PreviewStatus)
  case frame(PreviewPicture)
}

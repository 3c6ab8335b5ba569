public import Imaging
public import OverlayDrawing

/// What a program makes of a frame.
public enum ProcessedContent: Sendable {
  /// Elements that the preview draws over the frame.
  case overlay(Overlay)
  /// A picture that the preview shows in place of the frame's own.
  case picture(Picture)
}

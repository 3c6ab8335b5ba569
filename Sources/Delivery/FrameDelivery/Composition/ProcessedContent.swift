internal import CaptureCore
public import Imaging
public import OverlayDrawing

/// What a program makes of a frame.
public enum ProcessedContent: Sendable {
  /// Drawn over the frame.
  case overlay(Overlay)
  /// Shown in its place.
  case picture(Picture)
}

internal import CaptureCore

/// A rectangle of pixels, which may reach beyond the picture.
struct Rectangle: Hashable, Sendable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int
}

internal import CaptureCore

/// A source that streams, with the pool that holds its frames.
struct RunningSource {
  /// The id of the camera, or what a composition has in its place.
  let sourceID: String
  let source: any FrameSource
  let pool: FramePool
  /// Frames per second that the source brings.
  var frameRate: Rational
}

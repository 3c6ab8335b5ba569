internal import CaptureCore

/// A camera that streams, with the memory of its frames.
struct RunningSource {
  let source: any FrameSource
  let pool: FramePool
}

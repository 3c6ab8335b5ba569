internal import CaptureCore

/// A source that streams, with the pool that holds its frames.
struct RunningSource {
  let source: any FrameSource
  let pool: FramePool
}

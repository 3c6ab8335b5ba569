internal import CaptureCore
internal import Synchronization

/// Where a session's frames go: into the ring, then to every output, in order.
///
/// Lives as long as the session; sources come and go. Called on the capture thread of whichever source runs.
final class FramePipeline: Sendable {
  private struct State {
    var outputs: [any CaptureOutput] = []
    var input = ""
    var revision: UInt64 = 0
    var streamID: UInt64 = 0
  }
  private let state = Mutex(State())
  let ring: FrameRing
  private let settling: SettlingWatch
  private let onFirstFrame: @Sendable (Frame) -> Void

  /// - Parameter onFirstFrame: called on the capture thread with the first frame of each stream; must not block.
  init(ring: FrameRing, settling: SettlingWatch, onFirstFrame: @escaping @Sendable (Frame) -> Void) {
    self.ring = ring
    self.settling = settling
    self.onFirstFrame = onFirstFrame
  }

  /// `streamID` of the newest frame; 0 before the first.
  var newestStream: UInt64 { state.withLock(\.streamID) }

  /// What the next frames carry and where they go.
  func configure(outputs: [any CaptureOutput], input: String, revision: UInt64) {
    state.withLock { state in
      state.outputs = outputs
      state.input = input
      state.revision = revision
    }
  }

  func publish(_ frame: Frame) {
    let (captured, outputs, isFirst) = state.withLock { state in
      let isFirst = state.streamID != frame.streamID
      state.streamID = frame.streamID
      return (
        CapturedFrame(frame: frame, input: state.input, configRevision: state.revision), state.outputs, isFirst
      )
    }
    ring.append(captured)
    if isFirst { onFirstFrame(frame) }
    for output in outputs { output.receive(captured) }
    settling.offer(frame)
  }
}

/// One source's way into the pipeline. Forwards that the source ended exactly once.
final class SourceTap: FrameSink {
  private let pipeline: FramePipeline
  private let onEnd: @Sendable (CaptureError) -> Void

  init(pipeline: FramePipeline, onEnd: @escaping @Sendable (CaptureError) -> Void) {
    self.pipeline = pipeline
    self.onEnd = onEnd
  }

  func receive(_ frame: Frame) { pipeline.publish(frame) }

  func sourceDidEnd(_ error: CaptureError) { onEnd(error) }
}

internal import CaptureCore

/// What other threads tell the session.
extension CaptureSession {
  func handle(_ signal: SessionSignal) async {
    switch signal {
    case .firstFrame(let camera, let captured, let streamID, let gap):
      launch.noteFirstFrame(captured: captured, streamID: streamID)
      if let gap { port.tell(.streamChanged(streamID: streamID, gapNanoseconds: gap)) }
      // While its camera is being started, the session looks by itself. Before the deferred start, whose timer would be in
      // vain if it fired while the session is still interrupted.
      if pipelines[camera].life.awaitsFrame {
        try? await serially { await CameraLife($0.pipelines[camera], in: $0).noteFrame(of: streamID, in: $0) }
      }
      deferredStart.firstFrameCaptured(in: self)
    case .firstSend(let output, let instant):
      if outputs.hosted[output]?.configuration.isPreview == true { launch.noteFirstSend(at: instant) }
      deferredStart.frameSent(from: output, in: self)
    case .settled(_, let frame): launch.noteSettled(frame)
    case .sourceStalled(let camera, let generation, let error):
      await noteLoss(of: generation, error, camera) { pipeline in
        if pipeline.status.state == .running { pipeline.schedule.stalled(at: SystemClock.monotonicNanoseconds()) }
        return .sourceStalled(error)
      }
    case .sourceEnded(let camera, let generation, let error):
      await noteLoss(of: generation, error, camera) { _ in .sourceLost(error) }
    case .mark(let waiter): waiter.resume()
    }
  }

  private func noteLoss(
    of generation: UInt64, _ error: CaptureError, _ camera: Int,
    _ event: @escaping @Sendable (CameraPipeline) -> CameraStateMachine.Event
  ) async {
    // A capture would wait for frames that do not come, and what is done about it would wait for the capture.
    if pipelines[camera].noteLoss(of: generation, error) { shots.cancel() }
    try? await serially { session in
      let pipeline = session.pipelines[camera]
      // A source that was replaced or stopped meanwhile has nothing to say any more.
      guard pipeline.isCurrent(generation) else { return }
      await session.apply(event(pipeline), to: pipeline)
    }
  }
}

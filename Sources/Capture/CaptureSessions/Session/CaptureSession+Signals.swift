internal import CaptureCore
internal import Logging
internal import SystemClocks

/// The session's reactions to signals from other threads.
extension CaptureSession {
  func handle(_ signal: SessionSignal) async {
    switch signal {
    case .firstFrame(let camera, let input, let captured, let streamID, let gap):
      // A commit may have removed the camera meanwhile, or may be about to add it.
      guard committed.pipelines.contains(camera) else { return }
      launch.noteFirstFrame(captured: captured, streamID: streamID, of: camera, input)
      // The limits on rates end with a stream, and a derived input begins another one by itself.
      if committed.isDerived(at: camera) { pipelines[camera].applyRates() }
      if let gap {
        port.tell(.streamChanged(streamID: streamID, gapNanoseconds: gap, input: input))
      }
      // A stalled camera runs again with its first frame. (While the session starts a camera, ``CameraLife`` looks for
      // the first frame itself.) Deferred start learns of the frame afterwards, because its timer has no effect when it
      // fires while the session is still interrupted.
      guard pipelines[camera].life.awaitsFrame else { return noteFirstFrame() }
      report = enqueue { session in
        await CameraLife(session.pipelines[camera], in: session).noteFrame(of: streamID, in: session)
        session.noteFirstFrame()
      }
    case .firstSend(let output, let instant):
      if outputs.hosted[output]?.configuration.isPreview == true { launch.noteFirstSend(at: instant) }
      deferredStart.frameSent(from: output, in: self)
    case .settled(let camera, let frame):
      launch.noteSettled(frame, of: camera)
      outputs.setSettling(of: pipelines[camera], by: committed)
    case .sourceIsOdd(let camera, let device, let oddity):
      guard pipelines[camera].note(oddity, of: device) else { return }
      port.logger.warning(
        "A camera does otherwise than its driver says.",
        metadata: ["device.id": "\(device)", "device.oddity": "\(oddity)"])
    case .sourceStalled(let camera, let generation, let error):
      noteLoss(of: generation, error, camera) { session, pipeline in
        if session.committed.isDerived(at: camera) {
          // A derived input that starts again costs the bus nothing, so it must not miss the return of its first layer.
          pipeline.schedule = RetrySchedule()
        } else if pipeline.status.state == .running {
          pipeline.schedule.stalled(at: .now())
        }
        return .sourceStalled(error)
      }
    case .sourceEnded(let camera, let generation, let error):
      noteLoss(of: generation, error, camera) { _, pipeline in
        // The next attempt looks for the format that the source has now.
        if error.reason == .formatNotSupported { pipeline.startError = error }
        return .sourceLost(error)
      }
    case .microphone(let input, let generation, let report):
      if case .running(let format) = report, microphones.isCurrent(generation, of: input) {
        followForm(format, of: input)
      }
      microphones.note(report, of: input, generation: generation)
    case .mark(let waiter):
      Task { [report] in
        _ = await report?.result
        waiter.resume()
      }
    }
  }

  private func noteFirstFrame() {
    deferredStart.firstFrameCaptured(in: self)
    followMicrophones()
  }

  /// Lets the microphones run exactly while the session runs. They begin with the camera's first frame, because nothing
  /// may delay that.
  func followMicrophones() {
    microphones.follow(
      status.state == .running ? committed.resolved.heardMicrophones : [], mayBegin: hasFrame,
      by: committed.resolved, to: outputs.hosted)
  }

  /// Takes over the form in which a microphone came. The event of the same report follows, so that clients read the
  /// configuration again.
  private func followForm(_ format: AudioFormat, of input: String) {
    guard let microphone = take(format, of: input) else { return }
    microphones.take(microphone)
    for output in committed.resolved.outputs {
      outputs.hosted[output.id]?.update { $0.audio = committed.resolved.audio(of: output) }
    }
  }

  private func noteLoss(
    of generation: UInt64, _ error: CaptureError, _ camera: Int,
    _ event: @escaping @Sendable (isolated CaptureSession, CameraPipeline) -> CameraStateMachine.Event
  ) {
    // Give up a running shot first. It would wait for frames that do not come, and the call below would wait for the
    // shot. Nothing waits for the call here, because the next signal may be the loss of the camera of that shot.
    if pipelines[camera].noteLoss(of: generation, error), photoCamera === pipelines[camera] { shots.cancel() }
    report = enqueue { session in
      let pipeline = session.pipelines[camera]
      // The report of a source that was replaced or stopped meanwhile no longer matters.
      guard pipeline.isCurrent(generation) else { return }
      await session.apply(event(session, pipeline), to: pipeline)
    }
  }
}

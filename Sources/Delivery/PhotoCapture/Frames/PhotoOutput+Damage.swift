internal import CaptureCore
internal import Synchronization
internal import SystemClocks

/// Photos whose frame turns out to be damaged when a photo thread decodes it, as the first to do so.
extension PhotoOutput {
  /// Finds another frame for a capture that a thread works on, in the ring or to come. With it the capture is ready to be
  /// processed anew, by this thread or another: only the queue knows how many may be processed at once.
  ///
  /// - Parameter error: says which frame is damaged.
  /// - Returns: why the capture fails; nil when it goes on.
  func mend(
    _ ticket: Queue.Ticket, _ job: PhotoJob, _ damaged: PinnedFrame, _ error: CaptureError
  ) -> CaptureError? {
    // For a shot the camera has been set back by now. Its frames were checked while it was still set (`exposeIntact`).
    guard job.shot == nil, job.mayReplaceFrame(), let context else { return error }
    let shadow = state.withLock(\.shotShadow)
    if let found = substitute(for: damaged, job, context, shadow) {
      let isHeld = update { state in
        state.queue.setCaptured(ticket, found)
        return state.queue.holds(ticket)
      }
      // Ended meanwhile, its place is free when this thread says that it is done with it.
      return isHeld ? nil : error
    }
    // The frame that was named is in the past: no frame to come is near it.
    if job.request.moment != nil, damaged.selection.zeroShutterLagUsed { return error }
    let earliest = damaged.captured.frame.time.monotonic + 1
    let deadline = frameDeadline
    let waits = update { state in
      guard state.queue.isRunning, state.connection.isEnabled, state.queue.holds(ticket) else { return false }
      // The end of a shot is unknown only while the shot goes on.
      let end = shadow.end.flatMap { $0 == .distantFuture ? nil : $0 }
      state.queue.wait(ticket, earliest: end.map { max(earliest, $0 + 1) } ?? earliest, deadline: deadline)
      return true
    }
    guard waits else { return error }
    // A frame that came after the first look, but before the capture was known to wait.
    if let found = substitute(for: damaged, job, context, shadow) {
      update { if $0.queue.endWait(ticket) { $0.queue.setCaptured(ticket, found) } }
    }
    return nil
  }

  private func substitute(
    for damaged: PinnedFrame, _ job: PhotoJob, _ context: any OutputContext, _ shadow: ShotShadow
  ) -> PinnedFrame? {
    var found = FrameChoice.substitute(for: damaged, job.request, from: context.history, notFrom: shadow)
    guard let time = found?.captured.time else { return nil }
    found?.hasForeignReadings = shadow.mayHaveReadings(of: time)
    found?.pinnedAt = now()
    return found
  }

  static func damaged(_ frame: Frame) -> CaptureError {
    CaptureError(
      .frameDamaged,
      "Frame \(frame.sequence) came damaged from the camera, and no intact frame is near it. Take the photo again; "
        + "if that happens often, check the camera's cable and port.",
      metadata: ["sequence": "\(frame.sequence)", "stream_id": "\(frame.streamID)"])
  }
}

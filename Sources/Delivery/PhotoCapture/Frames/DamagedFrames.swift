internal import CaptureCore
internal import SystemClocks

/// Finds another frame for a capture whose own turns out to be damaged when a photo thread decodes it, as the first to
/// do so.
struct DamagedFrames: Sendable {
  let queue: PhotoQueue
  let link: SessionLink

  /// Finds another frame for a capture that a thread works on, in the ring or to come. With it the capture is ready to
  /// be processed anew, by this thread or another: only the queue knows how many may be processed at once.
  ///
  /// - Parameter error: says which frame is damaged.
  /// - Returns: why the capture fails; nil when it goes on.
  func replace(_ work: PhotoQueueStateMachine.Assignment, _ error: CaptureError) -> CaptureError? {
    let (ticket, job, damaged) = (work.ticket, work.job, work.capture.held)
    if !job.request.constituents.isEmpty {
      let deadline = link.frameDeadline(from: queue.now())
      return job.mayReplaceFrame() && queue.update { $0.matchAgain(work, until: deadline) } ? nil : error
    }
    // A shot gets no other frame here, because the session has set the camera back and a new frame would be exposed
    // differently. ``ShotRunner`` checked the frames before that.
    guard job.shot == nil, job.mayReplaceFrame(), let context = link.context else { return error }
    let shadow = queue.read { $0.shadow }
    if let found = substitute(for: damaged, job, context.history, shadow) {
      // When the capture has ended meanwhile, the method returns the error. The thread then finishes the capture, which
      // frees its place.
      return queue.update { $0.replaceFrame(ticket, found) } ? nil : error
    }
    // The client named a frame of the past, and no frame that is still to come is near that frame.
    if job.request.moment != nil, damaged.selection.zeroShutterLagUsed { return error }
    let deadline = link.frameDeadline(from: queue.now())
    let after = damaged.captured.frame.time.monotonic
    guard queue.update({ $0.waitForReplacement(ticket, after: after, until: deadline) }) else { return error }
    // A frame may have come after the first look into the ring, but before the queue knew that the capture waits.
    if let found = substitute(for: damaged, job, context.history, shadow) {
      queue.update { $0.foundReplacement(ticket, found) }
    }
    return nil
  }

  private func substitute(
    for damaged: HeldFrame, _ job: PhotoJob, _ history: any FrameHistory, _ shadow: ShotShadow
  ) -> HeldFrame? {
    var found = FrameChoice.substitute(for: damaged, job.request, from: history, notFrom: shadow)
    guard let time = found?.captured.time else { return nil }
    found?.hasForeignReadings = shadow.mayHaveReadings(of: time)
    found?.heldAt = queue.now()
    return found
  }
}

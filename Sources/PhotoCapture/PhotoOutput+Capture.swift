public import CaptureCore
internal import Imaging
internal import Synchronization

extension PhotoOutput {
  /// Takes a photo. Its frame is chosen and held before this returns, if the ring has it.
  ///
  /// Runs deferred start first when the output is not prepared yet; the frame is held meanwhile.
  ///
  /// - Throws: `sessionNotRunning`; `notSupportedInConfiguration` while the connection is disabled; `settingsIDReused`; `tooManyRequests` above 128 captures under way; `outOfBuffers`;
  ///   `invalidArgument`; once closed, the error of that. Whatever goes wrong later is told by the events.
  public func capture(_ request: PhotoRequest) throws(CaptureError) -> PhotoCapture {
    let context = self.context
    // Before all else: every moment counts.
    let pinned = context.flatMap { choice.choose(for: request, from: $0.history) }
    try request.validate()
    if let context, context.status.state != .running { throw Self.notRunning(context.status.state) }
    let connection = state.withLock { $0.connection }
    guard connection.isEnabled else {
      throw CaptureError(
        .notSupportedInConfiguration, "The connection of the photo output \(id) is disabled; enable it to take photos.",
        metadata: ["output": id])
    }
    // Held until it is processed, one frame more would be one that the camera lacks.
    if let pinned, !pinned.captured.frame.buffer.leavesRoom(for: Self.framesLeftToCamera) {
      throw CaptureError(.outOfBuffers, "The memory for frames is used up; wait for earlier photos.")
    }

    let uniqueID = request.uniqueID.isEmpty ? PhotoJob.makeUniqueID() : request.uniqueID
    let (job, events) = PhotoJob.make(uniqueID, request, now: now)
    let ticket = try update { queue throws(CaptureError) in try queue.enqueue(job) }
    do {
      try store.begin(uniqueID)
    } catch {
      update { $0.remove(ticket) }
      throw error
    }
    let size = ((pinned?.captured ?? context?.history.newest)?.frame.layout.size).map(connection.orientation.turned)
    job.send(
      .willBeginCapture(
        ResolvedPhotoSettings(
          encoding: request.encoding, size: size,
          thumbnailSize: request.embeddedThumbnail.flatMap { size?.fitted(into: $0) },
          zeroShutterLagUsed: pinned?.zeroShutterLagUsed ?? false)))
    if let pinned { capture(ticket, job, pinned) } else { wait(ticket, job, context) }
    if let context { runDeferredStart(context) }
    return PhotoCapture(uniqueID: uniqueID, events: events)
  }

  /// The frame is there.
  func capture(_ ticket: Queue.Ticket, _ job: PhotoJob, _ pinned: PinnedFrame) {
    var pinned = pinned
    pinned.orientation = state.withLock { $0.connection.orientation }
    job.send(.willCapturePhoto)
    let frame = pinned.captured.frame
    job.send(.didCapturePhoto(sequence: frame.sequence, streamID: frame.streamID))
    update { $0.setReady(ticket, pinned) }
  }

  private func wait(_ ticket: Queue.Ticket, _ job: PhotoJob, _ context: (any OutputContext)?) {
    update { $0.wait(ticket, earliest: choice.earliest(for: job.request)) }
    // A frame that came after the first look, but before the capture was known to wait.
    if let context, let pinned = choice.choose(for: job.request, from: context.history) {
      if update({ $0.endWait(ticket) }) { capture(ticket, job, pinned) }
    } else if let context, context.status.state != .running {
      // Likewise a stop.
      for job in update({ $0.removeWaiting() }) { fail(job, Self.interrupted(by: "\(context.status.state)")) }
    } else if !state.withLock({ $0.connection.isEnabled }) {
      for job in update({ $0.removeWaiting() }) { fail(job, Self.interrupted(by: "its connection was disabled")) }
    }
  }

  private func runDeferredStart(_ context: any OutputContext) {
    guard update({ $0.beginDeferredStart() }) else { return }
    // Not a child of the caller: the capture goes on when its caller leaves. At most one at a time.
    Task {
      var failure: CaptureError?
      do throws(CaptureError) { try await context.runDeferredStartIfNeeded() } catch { failure = error }
      let stranded = update { $0.endDeferredStart() }
      for job in stranded {
        fail(job, failure ?? CaptureError(.processingFailed, "The photo output was not prepared by deferred start."))
      }
    }
  }

  func fail(_ job: PhotoJob, _ error: CaptureError) {
    store.finish(job.uniqueID, .failure(error))
    job.finish(error)
  }

  static func interrupted(by cause: String) -> CaptureError {
    CaptureError(
      .operationInterrupted, "The capture was interrupted before its frame was processed: \(cause).",
      metadata: ["cause": cause])
  }

  private static func notRunning(_ state: SessionState) -> CaptureError {
    CaptureError(
      .sessionNotRunning, "The session is \(state); photos are taken while it is running.",
      metadata: ["state": "\(state)"])
  }
}

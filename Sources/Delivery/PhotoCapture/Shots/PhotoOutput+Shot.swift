internal import CaptureCore
internal import Imaging
internal import Synchronization
internal import SystemClocks

/// Captures that the camera is set for.
extension PhotoOutput {
  /// The capture's turn has come: its photos are taken one after the other, then the camera is set back.
  func shoot(_ shot: Shot, _ turn: Queue.Turn, _ context: any OutputContext) {
    let (ticket, job) = (turn.ticket, turn.job)
    let followsShot = update { state in
      state.queue.shoot(ticket)
      defer { state.shotShadow.set(from: job.began) }
      return state.shotShadow.mayHaveReadings(of: job.began)
    }
    // Not a child of the caller: the capture goes on when its caller leaves. One at a time.
    Task {
      let taken = Mutex<[PinnedFrame]>([])
      var failure: CaptureError?
      var after: MonotonicInstant?
      do {
        let isWanted: @Sendable () -> Bool = { [self] in state.withLock { $0.queue.holds(ticket) } }
        after = try await context.shoot(shot, while: isWanted) { [self] step, conditions in
          if step == 0 { job.send(.willCapturePhoto) }
          var pinned = try await exposeIntact(ticket, job, conditions)
          pinned.capturePhase.begin = job.began
          pinned.hasForeignReadings = followsShot || step > 0
          let frame = pinned.captured.frame
          if !job.request.exposure.mergesBracket {
            job.send(.didCapturePhoto(sequence: frame.sequence, streamID: frame.streamID))
          }
          taken.withLock { [pinned] in $0.append(pinned) }
        }
      } catch {
        let shotFailure = error as? ShotFailure
        after = shotFailure?.end
        failure =
          (shotFailure?.cause ?? error) as? CaptureError
          ?? CaptureError(.operationInterrupted, "The capture was given up before its photo was made.")
      }
      let frames = taken.withLock { $0 }
      // One photo is captured when the last of its exposures is.
      if failure == nil, job.request.exposure.mergesBracket {
        let frame = frames[job.request.exposure.bracketReference].captured.frame
        job.send(.didCapturePhoto(sequence: frame.sequence, streamID: frame.streamID))
      }
      update {
        $0.shotShadow.set(from: job.began, to: after ?? now())
        guard failure == nil else { return }
        $0.queue.setCaptured(ticket, PinnedFrame(frames, job.request, $0.connection.orientation))
      }
      if let failure, update({ $0.queue.abandon(ticket) }) { fail(job, failure) }
    }
  }

  /// Waits for the frames of one step, and takes further ones while the photo's own is damaged: only now is the camera set
  /// for them.
  private func exposeIntact(
    _ ticket: Queue.Ticket, _ job: PhotoJob, _ conditions: ShotConditions
  ) async throws -> PinnedFrame {
    var pinned = try await expose(ticket, job, conditions, followsOwn: false)
    while await !isIntact(pinned.captured.frame) {
      guard job.mayReplaceFrame() else { throw Self.damaged(pinned.captured.frame) }
      pinned = try await expose(ticket, job, conditions, followsOwn: true)
    }
    return pinned
  }

  /// Whether the picture can be decoded, which for compressed ones takes milliseconds: a thread does that.
  private func isIntact(_ frame: Frame) async -> Bool {
    guard frame.layout.pixelFormat.isJPEG else { return true }
    return await withCheckedContinuation { continuation in
      let work: @Sendable () -> Void = {
        _ = MeanLuma.measure(frame.picture)
        continuation.resume(returning: !frame.buffer.isDamaged)
      }
      // Without a thread it is not checked here; the photo thread that decodes it finds out.
      do { try startThread("photo-check", 0, work) } catch {
        continuation.resume(returning: !frame.buffer.isDamaged)
      }
    }
  }

  /// Waits for the frames of one step.
  private func expose(
    _ ticket: Queue.Ticket, _ job: PhotoJob, _ conditions: ShotConditions, followsOwn: Bool
  ) async throws -> PinnedFrame {
    let (frames, waiter) = AsyncThrowingStream.makeStream(of: PinnedFrame.self)
    update { state in
      guard state.queue.holds(ticket) else { return waiter.finish() }
      state.exposure = ShotExposure(
        ticket, job.request, conditions, count: job.request.exposure.mergesBracket ? 1 : job.frameCount,
        followsOwn: followsOwn, waiter: waiter)
    }
    for try await pinned in frames { return pinned }
    // No more frames will come: the photo is made without those that were to be merged into it.
    let taken = update { state in
      defer { state.exposure = nil }
      return state.exposure?.taken
    }
    guard let taken else { throw CancellationError() }
    return taken
  }
}

extension PinnedFrame {
  /// All photos of a shot.
  fileprivate init(_ frames: [PinnedFrame], _ request: PhotoRequest, _ orientation: Orientation) {
    var frames = frames
    let end = frames.last!.capturePhase.end
    self = frames.remove(at: request.exposure.mergesBracket ? request.exposure.bracketReference : 0)
    self.orientation = orientation
    if request.exposure.mergesBracket {
      mergesExposures = true
      neighbours = frames.map { HeldFrame($0.captured.frame) }
    } else {
      following = frames
    }
    capturePhase.end = end
  }
}

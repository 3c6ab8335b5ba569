internal import CaptureCore
internal import Imaging
internal import Locking
internal import SystemClocks
internal import VideoCoding

/// Takes the photos of captures that the camera is set for.
struct ShotRunner: Sendable {
  typealias Turn = CapturePlaces.Turn

  let queue: PhotoQueue
  let startThread: PhotoOutput.StartThread

  /// Takes the capture's photos one after the other, while the session keeps the camera set for each. Afterwards the
  /// camera is as before.
  func run(_ shot: Shot, _ turn: Turn, _ context: any OutputContext) {
    let (ticket, job) = (turn.ticket, turn.job)
    let followsShot = queue.update { $0.beginShot(ticket, job) }
    // Not a child of the caller, because the capture goes on when its caller leaves. The queue begins one at a time.
    Task {
      let taken = Locked<[HeldFrame]>([])
      let isWanted: @Sendable () -> Bool = { [queue] in queue.read { $0.places.holds(ticket) } }
      var end: MonotonicInstant?
      var failure: CaptureError?
      do {
        end = try await context.shoot(shot, while: isWanted) { step, conditions in
          if step == 0 { job.send(.willCapturePhoto) }
          var held = try await exposeIntact(turn, conditions)
          held.capturePhase.begin = job.began
          held.hasForeignReadings = followsShot || step > 0
          if !job.request.exposure.mergesBracket { job.send(.didCapturePhoto(held.captured)) }
          taken.withLock { [held] in $0.append(held) }
        }
      } catch {
        let shotFailure = error as? ShotFailure
        end = shotFailure?.end
        failure =
          (shotFailure?.cause ?? error) as? CaptureError
          ?? CaptureError(.operationInterrupted, "The capture was given up before its photo was made.")
      }
      let frames = failure.map { .failure($0) } ?? Result.success(taken.withLock { $0 })
      let over = end ?? queue.now()
      queue.update { $0.endShot(ticket, job, frames, end: over) }
    }
  }

  /// Waits for the frames of one step. While the photo's own frame is damaged, it waits for further ones, because the
  /// camera is set for the capture only now.
  private func exposeIntact(_ turn: Turn, _ conditions: ShotConditions) async throws -> HeldFrame {
    var held = try await expose(turn, conditions, followsOwn: false)
    while await !isIntact(held.captured.frame) {
      guard turn.job.mayReplaceFrame() else { throw CaptureError.damaged(held.captured.frame) }
      held = try await expose(turn, conditions, followsOwn: true)
    }
    return held
  }

  /// Whether the picture can be decoded. Decoding a compressed picture takes milliseconds, so a thread does it.
  private func isIntact(_ frame: Frame) async -> Bool {
    guard frame.layout.planes.isEmpty else { return true }
    return await withCheckedContinuation { continuation in
      let work: @Sendable () -> Void = {
        _ = frame.meanLuma
        continuation.resume(returning: !frame.buffer.isDamaged)
      }
      // When the system cannot create a thread, the photo thread that decodes the frame finds the damage later.
      do { try startThread("photo-check", 0, work) } catch {
        continuation.resume(returning: !frame.buffer.isDamaged)
      }
    }
  }

  /// Waits for the frames of one step.
  private func expose(_ turn: Turn, _ conditions: ShotConditions, followsOwn: Bool) async throws -> HeldFrame {
    let (frames, waiter) = AsyncThrowingStream.makeStream(of: HeldFrame.self)
    queue.update { $0.beginExposure(turn.ticket, turn.job, conditions, followsOwn: followsOwn, waiter) }
    for try await held in frames { return held }
    // No more frames will come, so the photo is made without those that were to be merged with its own.
    guard let taken = queue.update({ $0.shots.endStep()?.taken }) else { throw CancellationError() }
    return taken
  }
}

internal import CaptureCore
internal import SystemClocks

/// Finds the frames of captures in the ring, for the photo queue.
struct FrameFinder: Sendable {
  /// How many frames must be left to lend for a capture to hold its own: fewer than readers leave.
  static let framesLeftToCamera = 2

  let queue: PhotoQueue
  let link: SessionLink

  /// Returns the frame for a request that has just arrived, held; nil when the request has to wait for one.
  func hold(_ request: PhotoRequest, isPrepared: Bool, _ features: PhotoFeatures, _ shadow: ShotShadow) -> HeldFrame? {
    guard let context = link.context, features.zeroShutterLag, request.exposure.mayUseRing,
      request.constituents.isEmpty
    else { return nil }
    // Without responsive capture, "now" is when the output is ready. A frame that the client names is that frame.
    guard isPrepared || features.responsiveCapture || request.moment != nil else { return nil }
    var held = FrameChoice.choose(for: request, from: context.history, notFrom: shadow)
    held?.heldAt = queue.now()
    return held
  }

  /// Finds the frames of a capture that has begun.
  func findFrames(for turn: CapturePlaces.Turn) {
    let history = link.context?.history
    guard var held = turn.held else { return wait(turn, history) }
    if let history {
      FrameChoice.addNeighbours(
        to: &held, upTo: turn.job.frameCount, from: history, notFrom: queue.read { $0.shadow })
    }
    let now = queue.now()
    let deadline = link.frameDeadline(from: now)
    queue.update { [held] in $0.take(turn.ticket, turn.job, held, until: deadline, at: now) }
  }

  private func wait(_ turn: CapturePlaces.Turn, _ history: (any FrameHistory)?) {
    let request = turn.job.request
    let deadline = link.frameDeadline(from: queue.now())
    let search = queue.update { $0.wait(for: turn, until: deadline) }
    // The frame may have come after the first look into the ring, but before the queue knew that the capture waits.
    var found = history.flatMap { history in
      switch search {
      case .ring(let shadow): FrameChoice.choose(for: request, from: history, notFrom: shadow)
      case .since(let earliest): FrameChoice.first(since: earliest, for: request, from: history)
      }
    }
    // Readiness already told the watchers that the capture waits for its frame. The photo therefore does not count as
    // taken without shutter lag, even when its frame comes from the ring.
    found?.selection.zeroShutterLagUsed = false
    guard let found else { return queue.update { $0.failUnlessFramesCome(turn.ticket, turn.job) } }
    let now = queue.now()
    queue.update { $0.found(turn.ticket, turn.job, found, until: deadline, at: now) }
  }
}

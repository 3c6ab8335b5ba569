internal import CaptureCore
internal import Locking
internal import SystemClocks

/// Where the frame of a capture that waits may be already.
enum FrameSearch: Hashable, Sendable {
  /// In the ring: the frame of the instant asked for, among those that are not in the shadow of a shot.
  case ring(ShotShadow)
  /// The first frame that was captured at this instant or later.
  case since(MonotonicInstant)

  /// Decides where to look for the frame of a capture that has begun without one.
  ///
  /// - Returns: also when the frame that the capture waits for is captured at the earliest.
  static func begin(
    for turn: CapturePlaces.Turn, zeroShutterLag: Bool, _ shots: ShotProgress
  ) -> (FrameSearch, earliest: MonotonicInstant) {
    let job = turn.job
    // A ring that has no frame for "now" will have one in a moment, and the capture takes that frame, whatever its
    // time. In every other case the camera captures the frame after the request, and after the capture's turn came.
    let usesRing = turn.isImmediate && zeroShutterLag && shots.shadow.end.map { job.began > $0 } ?? true
    let earliest = shots.afterShots(usesRing ? .epoch : turn.isImmediate ? job.request.arrival : job.began)
    return (usesRing ? .ring(shots.shadow) : .since(earliest), earliest)
  }
}

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
        to: &held, upTo: turn.job.frameCount, from: history, notFrom: queue.read { $0.shots.shadow })
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

/// Gives the frames of several cameras to the capture that takes a photo of each, and taps the cameras only meanwhile.
/// Thread-safe.
final class ConstituentTap: FrameTap {
  private let queue: PhotoQueue
  private let link: SessionLink
  /// Held while the cameras are tapped or left, so that the newest wish of the queue comes last.
  private let order = Locked<Void>(())

  init(queue: PhotoQueue, link: SessionLink) {
    self.queue = queue
    self.link = link
  }

  /// Begins to look for the frames of a capture whose turn has come.
  func findFrames(for turn: CapturePlaces.Turn) {
    let deadline = link.frameDeadline(from: queue.now())
    queue.update { $0.match(turn, until: deadline) }
    // One of the cameras may still wait for deferred start. Not a child of the caller, because the queue does not wait.
    // When the camera cannot be opened, its state ends the capture.
    Task { [link] in try? await link.context?.runDeferredStartIfNeeded() }
  }

  /// Taps the cameras that the queue wants frames of now, and no others.
  func follow() {
    order.withLock { _ in link.context?.tap(queue.read { $0.constituents.inputs }, for: self) }
  }

  func receive(_ frame: CapturedFrame) {
    let now = queue.now()
    queue.update { $0.constituentArrived(frame, at: now) }
  }
}

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
  func replace(_ work: PhotoAssignment, _ error: CaptureError) -> CaptureError? {
    let (ticket, job, damaged) = (work.ticket, work.job, work.capture.held)
    if !job.request.constituents.isEmpty {
      let deadline = link.frameDeadline(from: queue.now())
      return job.mayReplaceFrame() && queue.update { $0.matchAgain(work, until: deadline) } ? nil : error
    }
    // A shot gets no other frame here, because the session has set the camera back and a new frame would be exposed
    // differently. ``ShotRunner`` checked the frames before that.
    guard job.shot == nil, job.mayReplaceFrame(), let context = link.context else { return error }
    let shadow = queue.read { $0.shots.shadow }
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

public import CaptureCore
public import Locking
internal import SystemClocks

/// Takes photos. The frame of a photo is chosen and held the moment a client asks for the photo; the work happens
/// later, on threads below the priority of the preview, and photos are delivered in the order in which clients asked
/// for them. Thread-safe.
///
/// ``PhotoQueueStateMachine`` decides what happens to captures, and the parts of the output perform it.
public final class PhotoOutput: CaptureOutput {
  /// As ``WorkerThread/start(name:niceness:_:)``.
  typealias StartThread = @Sendable (String, Int32, @escaping @Sendable () -> Void) throws(CaptureError) -> Void

  /// How many captures may be under way at once.
  package static let maxPending = 128
  /// How many streams of each kind may be watched at once.
  package static let maxWatchers = 256

  /// The output's id, which is unique in the session.
  public let id: String
  /// What happened to all captures, without the photos' memory.
  public let events = EventLog<PhotoCaptureEvent>()
  let queue: PhotoQueue
  private let link: SessionLink
  private let finder: FrameFinder
  private let constituents: ConstituentTap
  private let shots: ShotRunner
  private let flash: FlashDecider
  private let preparation: PhotoPreparation
  private let workers: PhotoWorkers
  private let timer: DeadlineTimer
  /// How many streams watch captures.
  private let captureWatchers = Locked(0)

  /// Creates an output that makes photos once it is prepared.
  ///
  /// - Parameters:
  ///   - id: as ``id``.
  ///   - context: retained until ``close(_:)``.
  ///   - destination: gets the captures.
  public convenience init(
    id: String, context: any OutputContext, features: PhotoFeatures, destination: any PhotoDestination
  ) {
    self.init(
      id: id, context: context, features: features, destination: destination, processing: .fusion,
      makeEncoder: PhotoEncoder.make, startThread: WorkerThread.start(name:niceness:_:),
      now: { .now() }, clock: ContinuousClock())
  }

  init(
    id: String, context: any OutputContext, features: PhotoFeatures, destination: any PhotoDestination,
    processing: PhotoProcessing, makeEncoder: @escaping MakePhotoEncoder,
    startThread: @escaping StartThread, now: @escaping @Sendable () -> MonotonicInstant, clock: any Clock<Duration>
  ) {
    self.id = id
    let machine = PhotoQueueStateMachine(
      maxPending: Self.maxPending, features: features, frameCount: processing.frameCount)
    queue = PhotoQueue(machine, destination: destination, now: now)
    link = SessionLink(context)
    let encoders = PhotoEncoders(makeEncoder, pool: destination.pool)
    let scratch = FramePool(budget: PhotoFeatures.processingMemory)
    finder = FrameFinder(queue: queue, link: link)
    constituents = ConstituentTap(queue: queue, link: link)
    shots = ShotRunner(queue: queue, startThread: startThread)
    flash = FlashDecider(queue: queue, link: link, startThread: startThread)
    preparation = PhotoPreparation(queue, link, encoders, scratch, processing, startThread)
    workers = PhotoWorkers(queue, link, encoders, scratch, processing)
    timer = DeadlineTimer(clock: clock, outputID: id)
    queue.setPerformer { [weak self] in self?.perform($0) }
  }

  /// Ends what still waits, because nothing finds frames for it any more.
  deinit {
    workers.close()
    queue.close(CaptureError(.operationInterrupted, "The photo output is gone."))
  }

  // MARK: The session

  /// Starts the photo threads that are missing.
  public func prepare() async throws(CaptureError) {
    try workers.start()
    queue.update { $0.places.setPrepared() }
  }

  /// Gives the frame to the captures that wait for one. The capture thread calls this.
  public func receive(_ frame: CapturedFrame) {
    let now = queue.now()
    let deadline = link.frameDeadline(from: now)
    queue.update { $0.frameArrived(frame, until: deadline, at: now) }
  }

  /// Captures in flight are made with the features, limits and orientation that they began with.
  ///
  /// A capture fails with `operationInterrupted` when its frame cannot come any more: a capture that waits for a frame
  /// when the session stops, is interrupted, or the connection is disabled; every capture when the session is
  /// reconfigured. A capture that the camera is set for ends by itself when the session stops.
  public func update(_ conditions: OutputConditions) { queue.update { $0.update(conditions) } }

  /// Ends every stream with `error`. Captures not yet being processed fail with `operationInterrupted`; the others will
  /// be finished.
  public func close(_ error: CaptureError) {
    workers.close()
    queue.close(error)
    // A capture may have got its frames just now, so that its cameras are still tapped.
    constituents.follow()
    events.end(error)
    link.cut()
  }

  // MARK: Captures

  /// Takes a photo, or one of each camera that the request names. A photo's frame is chosen and held before this
  /// returns, if the ring has it and memory allows.
  ///
  /// When the output is not prepared yet, the capture runs deferred start first; with responsive capture its frame is
  /// held meanwhile. A capture of "now" that awaits settling begins when the exposure has settled, or after 2 s, and so
  /// do those that come meanwhile; none of them is made of an earlier frame. An automatic flash on which
  /// ``decidingFlash(_:)`` did not decide does not fire.
  ///
  /// - Throws: `sessionNotRunning`; `notSupportedInConfiguration` while the connection is disabled; `settingsIDReused`;
  ///   `tooManyRequests` above 128 captures under way; `invalidArgument`, `unsupportedValue`; once closed, the error
  ///   that closed the output. Whatever goes wrong later is in the events.
  public func capture(_ request: PhotoRequest) throws(CaptureError) -> AcceptedCapture {
    let (features, isPrepared, conditions, shadow) = queue.read {
      ($0.places.features, $0.places.isPrepared, $0.conditions, $0.shots.shadow)
    }
    // The frame is held before anything else is done: each moment later it may have left the ring.
    var held = finder.hold(request, isPrepared: isPrepared, features, shadow)
    defer { stopTracking(request.uniqueID) }
    try request.validate(features)
    let context = link.context
    if context != nil, conditions.status.state != .running {
      throw CaptureError.noFrames(of: id, conditions.status, in: link.sessionID)
    }
    guard conditions.connection.isEnabled else {
      throw CaptureError(
        .notSupportedInConfiguration, "The connection of the photo output \(id) is disabled; enable it to take photos.",
        metadata: ["output": id])
    }
    try request.checkConstituents(conditions.constituents)
    // A frame that is held until it is processed must leave the camera memory to go on with.
    if held?.captured.frame.buffer.leavesRoom(for: FrameFinder.framesLeftToCamera) == false { held = nil }
    let shot = request.shot(flash: request.exposure.flashMode == .on, features.shots)
    if shot != nil { held = nil }
    let streamed = (held?.captured ?? context?.history.newest)?.frame.layout.size
    // Several cameras may have several sizes.
    let size =
      request.constituents.isEmpty ? (shot?.size ?? streamed).map(conditions.connection.orientation.turned) : nil
    let uniqueID = request.uniqueID.isEmpty ? PhotoJob.makeUniqueID() : request.uniqueID
    let (sessionID, log) = (link.sessionID, events)
    return try queue.update { [queue] machine throws(CaptureError) in
      try machine.places.checkRoom()
      // The frames that the ring has are from before the exposure has settled.
      let settlingEnd = machine.settlingEnd(for: request, at: queue.now())
      let held = settlingEnd == nil ? held : nil
      try queue.destination.begin(uniqueID, of: sessionID, at: WallClock.shared.wallInstant(at: request.arrival))
      let quality = machine.resolveQuality(of: request)
      let resolved = ResolvedPhotoSettings(request, quality, size: size, hasFrame: held != nil)
      let (job, events) = PhotoJob.make(uniqueID, request, shot, resolved, log: log, now: queue.now)
      machine.enqueue(job, held, settlingUntil: settlingEnd)
      return AcceptedCapture(uniqueID: uniqueID, events: events, job: job)
    }
  }

  /// Returns the request with ON or OFF in place of AUTO, for ``capture(_:)``. Any other request stays as it is.
  ///
  /// - Throws: `CancellationError` when the caller is cancelled.
  public func decidingFlash(_ request: PhotoRequest) async throws -> PhotoRequest { try await flash.decide(request) }

  /// Makes ready what captures with such settings need, and keeps it ready until the next call. Returns when the
  /// session runs and all is ready. With no settings it gives the memory back and returns at once.
  ///
  /// - Returns: false when another call took the place of this one.
  /// - Throws: `invalidArgument`, `unsupportedValue`; `processingFailed` when the system cannot create a thread; once
  ///   closed, the error that closed the output; `CancellationError`.
  public func prepare(for settings: [PhotoRequest]) async throws -> Bool { try await preparation.prepare(settings) }

  /// Runs `body`, which reads ``events``, as one of the streams that watch captures.
  ///
  /// - Throws: `tooManyRequests` above 256 of them; what `body` throws.
  public func watchingCaptures(_ body: () async throws -> Void) async throws {
    try captureWatchers.withLock { count throws(CaptureError) in
      guard count < Self.maxWatchers else { throw CaptureError.tooManyWatchers("WatchCaptures") }
      count += 1
    }
    defer { captureWatchers.withLock { $0 -= 1 } }
    try await body()
  }

  private func runDeferredStart() {
    // Not a child of the caller, because the capture goes on when its caller leaves. At most one at a time.
    Task { [queue, link] in
      var failure: CaptureError?
      do throws(CaptureError) { try await link.context?.runDeferredStartIfNeeded() } catch { failure = error }
      queue.update { [failure] in $0.endDeferredStart(failure) }
    }
  }

  private func perform(_ work: PhotoQueueActions.Work) {
    switch work {
    case .findFrames(let turn):
      if let shot = turn.job.shot, let context = link.context {
        shots.run(shot, turn, context)
      } else if !turn.job.request.constituents.isEmpty {
        constituents.findFrames(for: turn)
      } else {
        finder.findFrames(for: turn)
      }
    case .tapCameras: constituents.follow()
    case .runDeferredStart: runDeferredStart()
    case .wakeWorkers(let count): workers.wake(count)
    case .startWorkers: workers.startMissing()
    case .warmUp(let warmUp): preparation.warm(warmUp)
    case .measureLight: flash.measureLight()
    case .watchDeadlines(let watcher): timer.run(watcher, queue)
    }
  }
}

/// A capture that the photo output has accepted and that is in progress.
public struct AcceptedCapture: Sendable {
  /// The id of the capture: the client's, or the output's when the client gave none.
  public let uniqueID: String
  /// The events of the capture, up to its end. Each event is kept until it is read. A client that does not read them,
  /// or that drops the queue, does not cancel the capture.
  public let events: EventQueue<PhotoCaptureEvent>
  let job: PhotoJob

  /// Calls `body` when the capture has ended, or at once when it has ended already. May be called once.
  public func whenEnded(_ body: @escaping @Sendable () -> Void) { job.whenEnded(body) }
}

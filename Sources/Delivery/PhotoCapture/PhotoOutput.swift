public import CaptureCore
internal import Synchronization
internal import SystemClocks

/// Takes photos: the frame is chosen and held the moment it is asked for, the work happens later on threads of its own,
/// below the preview's priority, and photos come in the order asked for. Thread-safe.
public final class PhotoOutput: CaptureOutput {
  typealias Queue = PhotoQueueStateMachine<PhotoJob, PinnedFrame, [Photo]>

  /// As ``WorkerThread/start(name:niceness:_:)``.
  typealias StartThread = @Sendable (String, Int32, @escaping @Sendable () -> Void) throws(CaptureError) -> Void

  struct State: Sendable {
    var queue: Queue
    var tracked = TrackedCaptures()
    var prepared = PreparedSettings()
    /// Keeps the store's memory while something is prepared.
    var memoryHold: MemoryHold?
    var bursts = BurstDetector()
    var times = ProcessingTimes()
    var watchers: [String: AsyncThrowingStream<Void, any Error>.Continuation] = [:]
    /// Who watches captures.
    var captureWatchers = 0
    var workers = 0
    var conditions = OutputConditions()
    /// The step of a shot that is under way.
    var exposure: ShotExposure?
    /// When the camera was set for captures.
    var shotShadow = ShotShadow()
    /// Who waits for what an automatic flash becomes, and what the last one saw.
    var flashDecisions: [AsyncStream<Bool>.Continuation] = []
    var isDark = false
    var deadlineWatch = DeadlineWatch()

    /// Without a connection no photo can be asked for either.
    var readiness: CaptureReadiness { connection.isEnabled ? queue.readiness(tracked: tracked) : .sessionNotRunning }
    var connection: Connection { conditions.connection }
    /// Frames that a photo is made of, at most.
    var frameLimit: Int { conditions.limits.fusedFrames ?? .max }
    /// Whether nothing is to be done, and nothing kept ready.
    var needsNoMemory: Bool { queue.isIdle && prepared.isEmpty }
    /// When something ends by itself.
    var nextDeadline: MonotonicInstant? { [queue.nextDeadline, tracked.nextEnd].compactMap { $0 }.min() }
  }

  /// Captures that may be under way at once.
  package static let maxPending = 128
  /// Streams of each kind that may be watched at once.
  package static let maxWatchers = 256
  /// Frames that must be left to lend for a capture to hold its own: fewer than readers leave.
  static let framesLeftToCamera = 2

  public let id: String
  /// What happened to all captures, without the photos' memory.
  public let events = EventLog<PhotoCaptureEvent>()
  let sessionID: String
  let store: CaptureStore
  let processing: PhotoProcessing
  /// What frames are merged in.
  let scratch = FramePool(budget: PhotoFeatures.processingMemory)
  let encoders: PhotoEncoders
  let startThread: StartThread
  let now: @Sendable () -> MonotonicInstant
  /// Of deadlines.
  let clock: any Clock<Duration>
  let state: Mutex<State>
  /// Held while photos are handed on, so that those of two threads keep their order. Never on the frame path.
  let delivery = Mutex<Void>(())
  /// Wakes the workers.
  let kick = Mailbox<Void>(depth: 8)
  /// Let go of by ``close(_:)``, because the session holds its outputs too.
  private let session: Mutex<(any OutputContext)?>

  /// - Parameters:
  ///   - id: unique in the session.
  ///   - context: retained until ``close(_:)``. Not called before the first capture.
  ///   - store: where captures are kept; one for the daemon.
  public convenience init(id: String, context: any OutputContext, features: PhotoFeatures, store: CaptureStore) {
    self.init(
      id: id, context: context, features: features, store: store, processing: .fusion,
      makeEncoder: PhotoEncoder.make, startThread: WorkerThread.start(name:niceness:_:),
      now: { .now() }, clock: ContinuousClock())
  }

  init(
    id: String, context: any OutputContext, features: PhotoFeatures, store: CaptureStore,
    processing: PhotoProcessing, makeEncoder: @escaping MakePhotoEncoder,
    startThread: @escaping StartThread, now: @escaping @Sendable () -> MonotonicInstant, clock: any Clock<Duration>
  ) {
    self.id = id
    sessionID = context.sessionID
    self.store = store
    self.processing = processing
    self.startThread = startThread
    encoders = PhotoEncoders(makeEncoder, pool: store.pool)
    self.now = now
    self.clock = clock
    var conditions = OutputConditions()
    conditions.photoFeatures = features
    state = Mutex(State(queue: Queue(maxPending: Self.maxPending, features: features), conditions: conditions))
    session = Mutex(context)
  }

  deinit { kick.close() }

  /// Nil once closed.
  var context: (any OutputContext)? { session.withLock { $0 } }

  /// Starts the workers. Further calls are harmless.
  public func prepare() async throws(CaptureError) {
    try startWorkers()
    update { $0.queue.setPrepared() }
  }

  public func receive(_ frame: CapturedFrame) {
    let now = now()
    let (taken, exposed) = update {
      $0.prepared.frameArrived(frame.frame.layout)
      $0.queue.maxProcessing = PhotoFeatures.maxProcessing(frame.frame.layout.size)
      let exposed = $0.exposure?.offer(frame, now: now).map { [waiter = $0.exposure?.waiter] in (waiter, $0) }
      if exposed != nil { $0.exposure = nil }
      let taken = $0.queue.frameArrived(at: frame.frame.time.monotonic) {
        $0.capturePhase.end = now
        return $0.add(frame.frame)
      }
      return (taken, exposed)
    }
    if let (waiter, result) = exposed { waiter?.end(with: result) }
    for (ticket, job) in taken { capture(ticket, job, FrameChoice.accept(frame, for: job.request)) }
  }

  /// Captures in flight are made with the features, limits and orientation that they began with.
  ///
  /// Captures fail with `operationInterrupted` when their frame cannot come any more: those that wait for one when the session
  /// stops, is interrupted, or the connection is disabled, and all of them when the session is reconfigured. Captures that the
  /// camera is set for end by themselves when the session stops.
  public func update(_ conditions: OutputConditions) {
    let (ended, isMadeOtherwise) = update { state in
      let former = state.conditions
      state.conditions = conditions
      var ended: [(PhotoJob, CaptureError)] = []
      // The error is made only when a capture ends: making one for every change of status would cost a launch allocations.
      func end(_ jobs: [PhotoJob], _ error: @autoclosure () -> CaptureError) {
        if !jobs.isEmpty { ended += jobs.map { [error = error()] in ($0, error) } }
      }
      if conditions.isReconfiguring, !former.isReconfiguring {
        end(state.queue.interrupt(), Self.interrupted(by: "the session is being reconfigured"))
      }
      if former.connection.isEnabled, !conditions.connection.isEnabled {
        end(state.queue.removeWaitingAndShooting(), Self.interrupted(by: "its connection was disabled"))
      }
      if conditions.status != former.status {
        end(state.queue.sessionDidChange(conditions.status.state), Self.interrupted(by: conditions.status))
      }
      let isMadeOtherwise = conditions.photoFeatures != former.photoFeatures
      if isMadeOtherwise { state.queue.setFeatures(conditions.photoFeatures) }
      return (ended, isMadeOtherwise && state.workers > 0)
    }
    // Without the threads that the features ask for captures overlap less; nothing else depends on them.
    if isMadeOtherwise { try? startWorkers() }
    for (job, error) in ended { fail(job, error) }
  }

  /// Ends every stream with `error`. Captures not yet being processed fail with `operationInterrupted`; those that are will
  /// be finished.
  public func close(_ error: CaptureError) {
    let (jobs, watchers, waiters) = state.withLock { state in
      let ended = (state.queue.close(error), Array(state.watchers.values), state.prepared.close())
      state.watchers = [:]
      state.memoryHold = nil
      return ended
    }
    kick.close()
    for job in jobs { fail(job, Self.interrupted(by: error.message)) }
    for watcher in watchers { watcher.finish(throwing: error) }
    for waiter in waiters { waiter.finish(throwing: error) }
    events.end(error)
    session.withLock { $0 = nil }
  }

  /// Changes the state and begins captures whose turn has come; then tells the watchers if readiness is another, finds
  /// those captures' frames, and wakes as many workers as there is work for.
  func update<R: Sendable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
    let (result, turns) = try change(body)
    for turn in turns { begin(turn) }
    return result
  }

  /// As ``update(_:)``, but leaves it to the caller to find their frames.
  func change<R: Sendable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> (R, [Queue.Turn]) {
    let (result, watchers, turns, ready, warmUp, deadlineWatcher) = try state.withLock { state throws(E) in
      let before = state.readiness
      let result = try body(&state)
      let turns = state.queue.beginNext()
      // Told under the lock, so that captures begin in the order they were asked for.
      for job in turns.map(\.job) {
        let frames =
          job.request.exposure.mergesBracket
          ? job.request.exposure.bracket.count : min(processing.frameCount(job.quality), state.frameLimit)
        let expected = state.times.range(
          of: job.quality, frames: frames, mergesBracket: job.request.exposure.mergesBracket)
        job.begin(at: now()) { resolved in
          resolved.fusedFrameCount = frames
          resolved.processingNanoseconds = expected
        }
      }
      // Given up meanwhile: nobody wants its frames.
      if let exposure = state.exposure, !state.queue.holds(exposure.ticket) {
        exposure.waiter.finish()
        state.exposure = nil
      }
      let watchers = state.readiness == before ? [] : Array(state.watchers.values)
      let warmUp = state.queue.isPrepared && state.queue.isRunning ? state.prepared.beginWarmUp() : nil
      let deadlineWatcher = state.deadlineWatch.begin(before: state.nextDeadline)
      return (result, watchers, turns, state.queue.readyCount, warmUp, deadlineWatcher)
    }
    for watcher in watchers { watcher.yield(()) }
    for _ in 0..<min(ready, kick.depth) { kick.put(()) }
    if let warmUp { warm(warmUp) }
    if let deadlineWatcher { watchDeadlines(deadlineWatcher) }
    return (result, turns)
  }
}

public import CaptureCore
internal import Synchronization

/// Takes photos: the frame is chosen and held the moment it is asked for, the work happens later and in order on a
/// thread of its own, below the preview's priority. Thread-safe.
public final class PhotoOutput: CaptureOutput {
  typealias Queue = PhotoQueueStateMachine<PhotoJob, PinnedFrame>

  struct State: Sendable {
    var queue = Queue(maxPending: PhotoOutput.maxPending)
    var watchers: [UInt64: AsyncThrowingStream<Void, any Error>.Continuation] = [:]
    var lastWatcher: UInt64 = 0
    var hasWorker = false
    var connection = Connection()
  }

  /// Captures that may be under way at once.
  package static let maxPending = 128
  /// Frames that must be left to lend for a capture to hold its own: fewer than readers leave.
  static let framesLeftToCamera = 2

  public let id: String
  /// Whether photos come from the ring of recent frames.
  public let zeroShutterLagEnabled: Bool
  let store: CaptureStore
  let choice: FrameChoice
  let makeEncoder: MakePhotoEncoder
  let now: @Sendable () -> UInt64
  let state = Mutex(State())
  /// Wakes the worker.
  let kick = Mailbox<Void>(depth: 1)
  /// Let go of by ``close(_:)``, because the session holds its outputs too.
  private let session: Mutex<(any OutputContext)?>

  /// - Parameters:
  ///   - id: unique in the session.
  ///   - context: retained until ``close(_:)``. Not called before the first capture.
  ///   - store: where captures are kept; one for the daemon.
  public convenience init(id: String, context: any OutputContext, zeroShutterLagEnabled: Bool, store: CaptureStore) {
    self.init(
      id: id, context: context, zeroShutterLagEnabled: zeroShutterLagEnabled, store: store,
      makeEncoder: PhotoEncoder.make, now: { SystemClock.monotonicNanoseconds() })
  }

  init(
    id: String, context: any OutputContext, zeroShutterLagEnabled: Bool, store: CaptureStore,
    makeEncoder: @escaping MakePhotoEncoder, now: @escaping @Sendable () -> UInt64
  ) {
    self.id = id
    self.zeroShutterLagEnabled = zeroShutterLagEnabled
    self.store = store
    self.choice = FrameChoice(zeroShutterLagEnabled: zeroShutterLagEnabled)
    self.makeEncoder = makeEncoder
    self.now = now
    session = Mutex(context)
  }

  deinit { kick.close() }

  /// Nil once closed.
  var context: (any OutputContext)? { session.withLock { $0 } }

  /// Starts the worker, which makes its encoder. Further calls are harmless.
  public func prepare() async throws(CaptureError) {
    let isFirst = state.withLock { state in
      defer { state.hasWorker = true }
      return !state.hasWorker
    }
    if isFirst {
      do throws(CaptureError) {
        try startWorker()
      } catch {
        state.withLock { $0.hasWorker = false }
        throw error
      }
    }
    update { $0.setPrepared() }
  }

  public func receive(_ frame: CapturedFrame) {
    for (ticket, job) in update({ $0.frameArrived(at: frame.frame.time.monotonicNanoseconds) }) {
      capture(ticket, job, choice.accept(frame, for: job.request))
    }
  }

  /// Captures that wait for a frame fail with `operationInterrupted` when the connection is disabled. Those that have theirs
  /// are turned as the connection was when they got it.
  public func connectionDidChange(_ connection: Connection) {
    state.withLock { $0.connection = connection }
    guard !connection.isEnabled else { return }
    for job in update({ $0.removeWaiting() }) { fail(job, Self.interrupted(by: "its connection was disabled")) }
  }

  /// Captures that wait for a frame fail with `operationInterrupted` when the session stops or is interrupted.
  public func sessionDidChange(_ status: SessionStatus) {
    for job in update({ $0.sessionDidChange(status.state) }) { fail(job, Self.interrupted(by: "\(status.state)")) }
  }

  /// Ends every readiness stream with `error`. Captures not yet being processed fail with `operationInterrupted`; one
  /// that is will be finished.
  public func close(_ error: CaptureError) {
    let (jobs, watchers) = state.withLock { state in
      let ended = (state.queue.close(error), Array(state.watchers.values))
      state.watchers = [:]
      return ended
    }
    kick.close()
    for job in jobs { fail(job, Self.interrupted(by: error.message)) }
    for watcher in watchers { watcher.finish(throwing: error) }
    session.withLock { $0 = nil }
  }

  // MARK: Readiness

  /// Whether the next photo may be asked for.
  public var readiness: CaptureReadiness { state.withLock { $0.queue.readiness } }

  /// Readiness from now on, the present value first. Once closed it throws the error of that.
  public func watchReadiness() -> ReadinessUpdates {
    let (changes, continuation) = AsyncThrowingStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (key, closed) = state.withLock { state in
      state.lastWatcher += 1
      if state.queue.closed == nil { state.watchers[state.lastWatcher] = continuation }
      return (state.lastWatcher, state.queue.closed)
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: key) }
    }
    if let closed {
      continuation.finish(throwing: closed)
    } else {
      continuation.yield(())
    }
    return ReadinessUpdates(changes: changes) { [weak self] in self?.readiness ?? .sessionNotRunning }
  }

  /// Changes the queue, and tells the watchers if readiness is another afterwards.
  ///
  /// Wakes the worker whenever a capture can be processed afterwards: it is not always the one that changed. One that
  /// leaves the queue may have held up those behind it.
  func update<R: Sendable, E: Error>(_ body: (inout Queue) throws(E) -> R) throws(E) -> R {
    let (result, watchers, hasNext) = try state.withLock { state throws(E) in
      let before = state.queue.readiness
      let result = try body(&state.queue)
      return (result, state.queue.readiness == before ? [] : Array(state.watchers.values), state.queue.hasNext)
    }
    for watcher in watchers { watcher.yield(()) }
    if hasNext { kick.put(()) }
    return result
  }
}

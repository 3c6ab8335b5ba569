internal import CaptureCore
internal import Synchronization

/// One reader's ``ReaderSlotStateMachine`` with its lock and the task that waits. Thread-safe.
final class ReaderSlot: Sendable {
  /// A frame that waits. In a queue it counts as lent: a slow reader may keep many for long.
  struct Waiting: Sendable {
    var frame: CapturedFrame
    var loan: FrameLoan?
    /// Whether it can be decoded alone.
    var isKeyFrame = true
  }

  /// Told when a reader's link asks for less or more, on whatever thread noticed it.
  struct LinkObserver: Sendable {
    /// Nanoseconds of a monotonic clock.
    var now: @Sendable () -> UInt64
    var didChange: @Sendable (_ token: String, Reduction) -> Void
  }

  typealias Machine = ReaderSlotStateMachine<Waiting>

  private struct State {
    var machine: Machine
    var waiter: CheckedContinuation<Machine.Event, any Error>?
    /// Only of readers that adapt.
    var link: LinkWatch?
    /// Whether the reader is done with the event before.
    var isAsking = false
  }

  let token: String
  /// What a picture's bytes may be.
  let maxBytes: Int
  private let isQueue: Bool
  private let observer: LinkObserver?
  private let state: Mutex<State>

  init(
    token: String, maxBytes: Int, maxUnacknowledged: Int, queueDepth: Int? = nil, session: SessionStatus,
    base: FrameTally, link: LinkWatch? = nil, observer: LinkObserver? = nil
  ) {
    self.token = token
    self.maxBytes = maxBytes
    isQueue = queueDepth != nil
    self.observer = observer
    state = Mutex(
      State(
        machine: Machine(
          session: session, base: base, maxUnacknowledged: maxUnacknowledged, queueDepth: queueDepth),
        link: link))
  }

  /// Whether a message with this frame is small enough for the reader.
  func fits(_ frame: Frame) -> Bool { frame.buffer.count <= maxBytes }

  /// Never waits; called on capture and encoder threads.
  ///
  /// - Parameters:
  ///   - pixelFormat: to be told in the status.
  ///   - isDue: whether the reader's rate asks for it.
  ///   - quality: of what was compressed, to be told in the status.
  ///   - link: of a picture that may need the one before it.
  /// - Returns: whether the reader cannot go on without a key frame.
  @discardableResult
  func offer(
    _ frame: CapturedFrame, _ tally: FrameTally, pixelFormat: PixelFormat? = nil, isDue: Bool = true, quality: Int = 0,
    link: FrameLink? = nil
  ) -> Bool {
    let waiting = Waiting(
      frame: frame, loan: isQueue ? FrameLoan(frame.frame.buffer) : nil, isKeyFrame: link?.isKeyFrame ?? true)
    return change { state in
      if isDue { state.link?.came(captured: frame.frame.time.monotonicNanoseconds) }
      return state.machine.offer(
        Machine.Offer(
          content: waiting, sequence: frame.frame.sequence, size: frame.frame.layout.size, pixelFormat: pixelFormat,
          tally: tally, isDue: isDue, quality: quality, link: link))
    }
  }

  func lose(_ tally: FrameTally, _ cause: DropCounts) { change { $0.machine.lose(tally, cause) } }

  func update(session: SessionStatus) { change { $0.machine.update(session: session) } }

  func acknowledge(_ sequence: UInt64) {
    tell(
      change { state in
        state.machine.acknowledge(sequence)
        return self.isFree(&state)
      })
  }

  func end(_ ending: Machine.Ending) { change { $0.machine.end(ending) } }

  /// Waits for the next event. One call at a time.
  ///
  /// - Throws: `CaptureError` once the output closed, `CancellationError` when the task is cancelled or after detaching.
  func next() async throws -> Machine.Event {
    tell(
      change { state in
        state.isAsking = true
        return self.isFree(&state)
      })
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let next: Machine.Next = state.withLock { state in
          precondition(state.waiter == nil, "a reader has one consumer")
          // Looked at under the lock: cancellation before this line is seen here, cancellation after it finds the waiter.
          if Task.isCancelled { return .end(.detached) }
          let next = self.takeNext(&state)
          if case .wait = next { state.waiter = continuation }
          return next
        }
        Self.resume(continuation, next)
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiter.take() }
      waiter?.resume(throwing: CancellationError())
    }
  }

  /// Changes the machine and wakes the reader if there is something for it now.
  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    typealias Waiter = CheckedContinuation<Machine.Event, any Error>
    let (result, waiter, next): (Result, Waiter?, Machine.Next) = state.withLock { state in
      let result = body(&state)
      guard state.waiter != nil else { return (result, nil, .wait) }
      let next = takeNext(&state)
      if case .wait = next { return (result, nil, .wait) }
      return (result, state.waiter.take(), next)
    }
    if let waiter { Self.resume(waiter, next) }
    return result
  }

  private func takeNext(_ state: inout State) -> Machine.Next {
    let next = state.machine.next()
    if case .wait = next { return next }
    state.isAsking = false
    if case .deliver(.frame) = next, let observer { state.link?.handOver(now: observer.now()) }
    return next
  }

  /// What the link asks for from now on, when the reader could take the next frame and that changed it.
  private func isFree(_ state: inout State) -> Reduction? {
    guard let observer, state.isAsking, state.machine.isOpen else { return nil }
    guard let reduction = state.link?.isFree(now: observer.now()) else { return nil }
    state.machine.update(reduction: reduction)
    return reduction
  }

  private func tell(_ reduction: Reduction?) {
    if let reduction { observer?.didChange(token, reduction) }
  }

  private static func resume(_ continuation: CheckedContinuation<Machine.Event, any Error>, _ next: Machine.Next) {
    switch next {
    case .wait: break
    case .deliver(let event): continuation.resume(returning: event)
    case .end(.closed(let error)): continuation.resume(throwing: error)
    case .end(.detached): continuation.resume(throwing: CancellationError())
    }
  }
}

internal import CaptureCore
internal import Locking
internal import SystemClocks

/// The ``ReaderSlotStateMachine`` of one reader, with its lock and the receiver that waits. Thread-safe.
final class ReaderSlot: AcknowledgedStream {
  /// A frame that waits in the slot. In a queue the frame's memory counts as lent, because a slow reader may keep many
  /// frames for long.
  struct Waiting: Sendable {
    var frame: CapturedFrame
    var loan: FrameLoan?
    var memo: PictureMemo?
    /// Whether the picture can be decoded alone.
    var isKeyFrame = true
  }

  /// Observes the link of a reader that adapts. The slot calls `didChange` when the link asks for less or more, on the
  /// thread that noticed the change.
  struct LinkObserver: Sendable {
    /// The present time.
    var now: @Sendable () -> MonotonicInstant
    var didChange: @Sendable (_ token: String, Reduction) -> Void
  }

  typealias Machine = ReaderSlotStateMachine<Waiting>
  typealias Receiver = @Sendable (Result<Machine.Event, any Error>) -> Void

  /// The consumer that waits for the next event. It has a type of its own, because generic code such as the lock wraps
  /// a bare closure anew each time that the closure passes through.
  private enum Waiter: Sendable {
    /// Gets the next event.
    case receiver(Receiver)
    /// Is told that there is an event, and leaves the event in the slot.
    case observer(@Sendable () -> Void)

    func resume(_ next: Machine.Next) {
      guard case .receiver(let receiver) = self else { return }
      switch next {
      case .wait: break
      case .deliver(let event): receiver(.success(event))
      case .end(.closed(let error)): receiver(.failure(error))
      case .end(.detached): receiver(.failure(CancellationError()))
      }
    }
  }

  private struct State {
    var machine: Machine
    var waiter: Waiter?
    /// Measures the reader's link. Nil for a reader that does not adapt.
    var link: LinkWatch?
    /// Whether the reader asks for the next event, and is therefore done with the event before.
    var isAsking = false
  }

  let token: String
  /// The most bytes that a picture for this reader may have.
  let maxBytes: Int
  private let isQueue: Bool
  private let observer: LinkObserver?
  private let state: Locked<State>

  init(
    token: String, maxBytes: Int, maxUnacknowledged: Int, queueDepth: Int? = nil, session: SessionStatus,
    isOpen: Bool = true, expected: ExpectedPicture? = nil, base: FrameTally, asks: Bool = false,
    link: LinkWatch? = nil,
    observer: LinkObserver? = nil
  ) {
    self.token = token
    self.maxBytes = maxBytes
    isQueue = queueDepth != nil
    self.observer = observer
    state = Locked(
      State(
        machine: Machine(
          session: session, isOpen: isOpen, expected: expected, base: base,
          maxUnacknowledged: maxUnacknowledged, queueDepth: queueDepth, asks: asks),
        link: link))
  }

  /// Whether a message with this frame is small enough for the reader.
  func fits(_ frame: Frame) -> Bool { frame.buffer.count <= maxBytes }

  /// Offers a frame to the reader. Never waits, because capture and encoder threads call this.
  ///
  /// - Parameters:
  ///   - tally: the output's tally up to this frame, as it counts for the reader.
  ///   - memo: shared by the readers who get the same picture. Nil for a single reader.
  ///   - pixelFormat: the format that the status tells the reader. Nil when the reader knows it.
  ///   - isDue: whether the reader's rate asks for the frame.
  ///   - quality: the quality of a compressed picture, which the status tells the reader; else 0.
  ///   - link: the place of a picture that may need the picture before it; else nil.
  ///   - spare: see ``ReaderSlotStateMachine/Offer``.
  /// - Returns: whether the reader waits and cannot go on without a key frame.
  @discardableResult
  func offer(
    _ frame: CapturedFrame, _ tally: FrameTally, memo: PictureMemo? = nil, pixelFormat: PixelFormat? = nil,
    isDue: Bool = true, quality: Int = 0, link: FrameLink? = nil, spare: Int? = nil
  ) -> Bool {
    let waiting = Waiting(
      frame: frame, loan: isQueue ? FrameLoan(frame.frame.buffer) : nil, memo: memo,
      isKeyFrame: link?.isKeyFrame ?? true)
    return change { state in
      if isDue || state.machine.isOwed(tally) { state.link?.came(captured: frame.frame.time.monotonic) }
      return state.machine.offer(
        Machine.Offer(
          content: waiting, sequence: frame.frame.sequence, size: frame.frame.layout.size, pixelFormat: pixelFormat,
          tally: tally, isDue: isDue, quality: quality, link: link, spare: spare))
    }
  }

  func lose(_ tally: FrameTally, _ cause: DropCounts) { change { $0.machine.lose(tally, cause) } }

  func update(session: SessionStatus) { change { $0.machine.update(session: session) } }

  /// Takes note of whether the output lets frames through.
  ///
  /// - Parameter isOpen: called under the slot's lock. When two threads tell changes at once, the one that comes last
  ///   therefore tells what holds then.
  func update(isOpen: () -> Bool) { change { $0.machine.update(isOpen: isOpen()) } }

  /// Tells the reader, in one status, the session's status and how the next picture will be.
  func update(session: SessionStatus, expecting picture: ExpectedPicture?) {
    change { state in
      state.machine.update(session: session)
      state.machine.expect(picture)
    }
  }

  func expect(_ picture: ExpectedPicture?) { change { $0.machine.expect(picture) } }

  func acknowledge(_ sequence: UInt64) {
    tell(
      change { state in
        state.machine.acknowledge(sequence)
        return self.isFree(&state)
      })
  }

  /// Allows this many more frames to be sent to a reader that asks for each frame.
  func allow(_ frames: Int) { change { $0.machine.allow(frames) } }

  func end(_ ending: Machine.Ending) { change { $0.machine.end(ending) } }

  /// Calls `receiver` once with the next event: at once if there is an event, else on the thread that brings the event,
  /// which may be the capture thread. Only one receiver may wait at a time.
  ///
  /// The receiver gets `CaptureError` once the output is closed, and `CancellationError` after ``abandonNext()`` or
  /// when the reader is detached.
  func next(_ receiver: @escaping Receiver) {
    let waiter = Waiter.receiver(receiver)
    let (next, reduction): (Machine.Next, Reduction?) = state.withLock { state in
      precondition(state.waiter == nil, "a reader has one consumer")
      state.isAsking = true
      let reduction = isFree(&state)
      let next = takeNext(&state)
      if case .wait = next { state.waiter = waiter }
      return (next, reduction)
    }
    tell(reduction)
    waiter.resume(next)
  }

  /// Calls `observer` once when there is an event, at once if there is one. The event stays in the slot, where newer
  /// frames may still take its place, until ``take()``. Does nothing when an observer waits already.
  func whenReady(_ observer: @escaping @Sendable () -> Void) {
    let waiter = Waiter.observer(observer)
    let (isReady, reduction): (Bool, Reduction?) = state.withLock { state in
      guard state.waiter == nil else { return (false, nil) }
      state.isAsking = true
      let reduction = isFree(&state)
      if state.machine.awaitNext() { return (true, reduction) }
      state.waiter = waiter
      return (false, reduction)
    }
    tell(reduction)
    if isReady { observer() }
  }

  /// Takes the next event, if there is one, without waiting.
  func take() -> Machine.Next { state.withLock { takeNext(&$0) } }

  /// Ends the wait for the next event if a receiver waits. No event is lost.
  func abandonNext() {
    let waiter = state.withLock { $0.waiter.take() }
    waiter?.resume(.end(.detached))
  }

  /// Waits for the next event, as ``next(_:)`` does, but only until the task is cancelled.
  func next() async throws -> Machine.Event {
    try Task.checkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        next { continuation.resume(with: $0) }
        // A cancellation that came before the slot had the waiter found no waiter to wake.
        if Task.isCancelled { abandonNext() }
      }
    } onCancel: {
      abandonNext()
    }
  }

  /// Changes the machine, and wakes the reader if there is an event for it now.
  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, waiter, next): (Result, Waiter?, Machine.Next) = state.withLock { state in
      let result = body(&state)
      switch state.waiter {
      case nil: return (result, nil, .wait)
      case .observer: return (result, state.machine.awaitNext() ? state.waiter.take() : nil, .wait)
      case .receiver:
        let next = takeNext(&state)
        if case .wait = next { return (result, nil, .wait) }
        return (result, state.waiter.take(), next)
      }
    }
    if case .observer(let observer) = waiter { observer() } else { waiter?.resume(next) }
    return result
  }

  private func takeNext(_ state: inout State) -> Machine.Next {
    let next = state.machine.next()
    if case .wait = next { return next }
    state.isAsking = false
    if case .deliver(.frame) = next, let observer { state.link?.handOver(now: observer.now()) }
    return next
  }

  /// The reduction that the link asks for from now on. Nil when the reader cannot take the next frame yet, and when the
  /// reduction has not changed.
  private func isFree(_ state: inout State) -> Reduction? {
    guard let observer, state.isAsking, state.machine.isOpen else { return nil }
    return state.link?.isFree(now: observer.now())
  }

  private func tell(_ reduction: Reduction?) {
    if let reduction { observer?.didChange(token, reduction) }
  }
}

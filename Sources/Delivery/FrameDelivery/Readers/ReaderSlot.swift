internal import CaptureCore
internal import Synchronization

/// One reader's ``ReaderSlotStateMachine`` with its lock and who waits. Thread-safe.
final class ReaderSlot: Sendable {
  /// A frame that waits. In a queue it counts as lent: a slow reader may keep many for long.
  struct Waiting: Sendable {
    var frame: CapturedFrame
    var loan: FrameLoan?
    var memo: PictureMemo?
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
  typealias Receiver = @Sendable (Result<Machine.Event, any Error>) -> Void

  /// Who waits. A structure: generic code, as the lock is, wraps a bare closure anew each time it passes.
  private struct Waiter: Sendable {
    let receiver: Receiver

    func resume(_ next: Machine.Next) {
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
    isOpen: Bool = true, expected: ExpectedPicture? = nil, base: FrameTally, asks: Bool = false,
    link: LinkWatch? = nil,
    observer: LinkObserver? = nil
  ) {
    self.token = token
    self.maxBytes = maxBytes
    isQueue = queueDepth != nil
    self.observer = observer
    state = Mutex(
      State(
        machine: Machine(
          session: session, isOpen: isOpen, expected: expected, base: base,
          maxUnacknowledged: maxUnacknowledged, queueDepth: queueDepth, asks: asks),
        link: link))
  }

  /// Whether a message with this frame is small enough for the reader.
  func fits(_ frame: Frame) -> Bool { frame.buffer.count <= maxBytes }

  /// Never waits; called on capture and encoder threads.
  ///
  /// - Parameters:
  ///   - memo: shared by those who get the same picture; nil for one alone.
  ///   - pixelFormat: to be told in the status.
  ///   - isDue: whether the reader's rate asks for it.
  ///   - quality: of what was compressed, to be told in the status.
  ///   - link: of a picture that may need the one before it.
  ///   - spare: see ``ReaderSlotStateMachine/Offer``.
  /// - Returns: whether the reader waits, and cannot go on without a key frame.
  @discardableResult
  func offer(
    _ frame: CapturedFrame, _ tally: FrameTally, memo: PictureMemo? = nil, pixelFormat: PixelFormat? = nil,
    isDue: Bool = true, quality: Int = 0, link: FrameLink? = nil, spare: Int? = nil
  ) -> Bool {
    let waiting = Waiting(
      frame: frame, loan: isQueue ? FrameLoan(frame.frame.buffer) : nil, memo: memo,
      isKeyFrame: link?.isKeyFrame ?? true)
    return change { state in
      if isDue || state.machine.isOwed(tally) { state.link?.came(captured: frame.frame.time.monotonicNanoseconds) }
      return state.machine.offer(
        Machine.Offer(
          content: waiting, sequence: frame.frame.sequence, size: frame.frame.layout.size, pixelFormat: pixelFormat,
          tally: tally, isDue: isDue, quality: quality, link: link, spare: spare))
    }
  }

  func lose(_ tally: FrameTally, _ cause: DropCounts) { change { $0.machine.lose(tally, cause) } }

  func update(session: SessionStatus) { change { $0.machine.update(session: session) } }

  /// - Parameter isOpen: asked under the slot's lock: of two changes at once, the last to be told tells what holds then.
  func update(isOpen: () -> Bool) { change { $0.machine.update(isOpen: isOpen()) } }

  /// As ``update(session:)``, and how the next picture will be, in one status.
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

  /// Lets so many frames more be sent, of a reader that asks for each.
  func allow(_ frames: Int) { change { $0.machine.allow(frames) } }

  func end(_ ending: Machine.Ending) { change { $0.machine.end(ending) } }

  /// Calls `receiver` once: at once if there is something, else on the thread that brings it, be it the capture thread.
  /// One call at a time.
  ///
  /// Fails with `CaptureError` once the output closed, with `CancellationError` after ``abandonNext()`` or detaching.
  func next(_ receiver: @escaping Receiver) {
    let waiter = Waiter(receiver: receiver)
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

  /// Ends the wait for the next event, if there is one; no event is lost.
  func abandonNext() {
    let waiter = state.withLock { $0.waiter.take() }
    waiter?.resume(.end(.detached))
  }

  /// Waits for the next event, as ``next(_:)`` does; also until the task is cancelled.
  func next() async throws -> Machine.Event {
    try Task.checkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        next { continuation.resume(with: $0) }
        // A cancellation before the waiter was known has found nobody to wake.
        if Task.isCancelled { abandonNext() }
      }
    } onCancel: {
      abandonNext()
    }
  }

  /// Changes the machine and wakes the reader if there is something for it now.
  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, waiter, next): (Result, Waiter?, Machine.Next) = state.withLock { state in
      let result = body(&state)
      guard state.waiter != nil else { return (result, nil, .wait) }
      let next = takeNext(&state)
      if case .wait = next { return (result, nil, .wait) }
      return (result, state.waiter.take(), next)
    }
    waiter?.resume(next)
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
    return state.link?.isFree(now: observer.now())
  }

  private func tell(_ reduction: Reduction?) {
    if let reduction { observer?.didChange(token, reduction) }
  }
}

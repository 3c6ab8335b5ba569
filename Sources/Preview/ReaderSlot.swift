internal import CaptureCore
internal import Synchronization

/// One reader's ``ReaderSlotStateMachine`` with its lock and who waits. Thread-safe.
final class ReaderSlot: Sendable {
  /// A frame that waits. In a queue it counts as lent: a slow reader may keep many for long.
  struct Waiting: Sendable {
    var frame: CapturedFrame
    var loan: FrameLoan?
    var memo: PictureMemo
  }

  typealias Machine = ReaderSlotStateMachine<Waiting>
  typealias Waiter = @Sendable (Result<Machine.Event, any Error>) -> Void

  private struct State {
    var machine: Machine
    var waiter: Waiter?
  }

  let token: String
  /// What a picture's bytes may be.
  let maxBytes: Int
  private let isQueue: Bool
  private let state: Mutex<State>

  init(
    token: String, maxBytes: Int, maxUnacknowledged: Int, queueDepth: Int? = nil, session: SessionStatus,
    base: FrameTally
  ) {
    self.token = token
    self.maxBytes = maxBytes
    isQueue = queueDepth != nil
    state = Mutex(
      State(
        machine: Machine(
          session: session, base: base, maxUnacknowledged: maxUnacknowledged, queueDepth: queueDepth)))
  }

  /// Whether a message with this frame is small enough for the reader.
  func fits(_ frame: Frame) -> Bool { frame.buffer.count <= maxBytes }

  /// Never waits; called on capture and encoder threads.
  ///
  /// - Parameters:
  ///   - memo: shared by those who get the same picture.
  ///   - pixelFormat: to be told in the status.
  func offer(
    _ frame: CapturedFrame, _ tally: FrameTally, memo: PictureMemo = PictureMemo(), pixelFormat: PixelFormat? = nil
  ) {
    let waiting = Waiting(frame: frame, loan: isQueue ? FrameLoan(frame.frame.buffer) : nil, memo: memo)
    change { machine in
      machine.offer(
        Machine.Offer(
          content: waiting, sequence: frame.frame.sequence, size: frame.frame.layout.size, pixelFormat: pixelFormat,
          tally: tally))
    }
  }

  func lose(_ tally: FrameTally, _ cause: DropCounts) { change { $0.lose(tally, cause) } }

  func update(session: SessionStatus) { change { $0.update(session: session) } }

  func acknowledge(_ sequence: UInt64) { change { $0.acknowledge(sequence) } }

  func end(_ ending: Machine.Ending) { change { $0.end(ending) } }

  /// Calls `waiter` once: at once if there is something, else on the thread that brings it, be it the capture thread.
  /// One call at a time.
  ///
  /// Fails with `CaptureError` once the output closed, with `CancellationError` after ``abandonNext()`` or detaching.
  func next(_ waiter: @escaping Waiter) {
    let next: Machine.Next = state.withLock { state in
      precondition(state.waiter == nil, "a reader has one consumer")
      let next = state.machine.next()
      if case .wait = next { state.waiter = waiter }
      return next
    }
    Self.resume(waiter, next)
  }

  /// Ends the wait for the next event, if there is one; no event is lost.
  func abandonNext() {
    let waiter = state.withLock { $0.waiter.take() }
    waiter?(.failure(CancellationError()))
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
  private func change(_ body: (inout Machine) -> Void) {
    let (waiter, next): (Waiter?, Machine.Next) = state.withLock { state in
      body(&state.machine)
      guard state.waiter != nil else { return (nil, .wait) }
      let next = state.machine.next()
      if case .wait = next { return (nil, .wait) }
      return (state.waiter.take(), next)
    }
    if let waiter { Self.resume(waiter, next) }
  }

  private static func resume(_ waiter: Waiter, _ next: Machine.Next) {
    switch next {
    case .wait: break
    case .deliver(let event): waiter(.success(event))
    case .end(.closed(let error)): waiter(.failure(error))
    case .end(.detached): waiter(.failure(CancellationError()))
    }
  }
}

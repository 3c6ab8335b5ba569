internal import CaptureCore
internal import Synchronization

/// One reader's ``ReaderSlotStateMachine`` with its lock and the task that waits. Thread-safe.
final class ReaderSlot: Sendable {
  /// A frame that waits. In a queue it counts as lent: a slow reader may keep many for long.
  struct Waiting: Sendable {
    var frame: CapturedFrame
    var loan: FrameLoan?
  }

  typealias Machine = ReaderSlotStateMachine<Waiting>

  private struct State {
    var machine: Machine
    var waiter: CheckedContinuation<Machine.Event, any Error>?
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
  ///   - pixelFormat: to be told in the status.
  ///   - isDue: whether the reader's rate asks for it.
  func offer(_ frame: CapturedFrame, _ tally: FrameTally, pixelFormat: PixelFormat? = nil, isDue: Bool = true) {
    let waiting = Waiting(frame: frame, loan: isQueue ? FrameLoan(frame.frame.buffer) : nil)
    change { machine in
      machine.offer(
        Machine.Offer(
          content: waiting, sequence: frame.frame.sequence, size: frame.frame.layout.size, pixelFormat: pixelFormat,
          tally: tally, isDue: isDue))
    }
  }

  func lose(_ tally: FrameTally, _ cause: DropCounts) { change { $0.lose(tally, cause) } }

  func update(session: SessionStatus) { change { $0.update(session: session) } }

  func acknowledge(_ sequence: UInt64) { change { $0.acknowledge(sequence) } }

  func end(_ ending: Machine.Ending) { change { $0.end(ending) } }

  /// Waits for the next event. One call at a time.
  ///
  /// - Throws: `CaptureError` once the output closed, `CancellationError` when the task is cancelled or after detaching.
  func next() async throws -> Machine.Event {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let next: Machine.Next = state.withLock { state in
          precondition(state.waiter == nil, "a reader has one consumer")
          // Looked at under the lock: cancellation before this line is seen here, cancellation after it finds the waiter.
          if Task.isCancelled { return .end(.detached) }
          let next = state.machine.next()
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
  private func change(_ body: (inout Machine) -> Void) {
    let (waiter, next): (CheckedContinuation<Machine.Event, any Error>?, Machine.Next) = state.withLock { state in
      body(&state.machine)
      guard state.waiter != nil else { return (nil, .wait) }
      let next = state.machine.next()
      if case .wait = next { return (nil, .wait) }
      return (state.waiter.take(), next)
    }
    if let waiter { Self.resume(waiter, next) }
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

internal import CaptureCore
internal import Locking
internal import SystemClocks

/// The photo queue of one output, shared by all threads: its state under a lock, and what becomes of the actions that a
/// change leaves behind. Thread-safe.
///
/// The queue performs the actions that only answer someone: it sends events of captures, tells the watchers and ends
/// what waits. It hands all other actions to its performer, the ``PhotoOutput``, which may be gone by then: a photo
/// thread still finishes and delivers what it works on.
final class PhotoQueue: Sendable {
  /// A function in a structure, because reading a plain function out of a lock allocates.
  private struct Performer: Sendable {
    let perform: @Sendable (PhotoQueueAction) -> Void
  }

  /// The store that keeps the captures of the daemon.
  let store: CaptureStore
  /// Tells those who watch readiness that it changed.
  let readinessChanged = Broadcast<Void>(depth: 1)
  /// CLOCK_MONOTONIC.
  let now: @Sendable () -> MonotonicInstant
  private let machine: Locked<PhotoQueueStateMachine>
  private let performer = Locked<Performer?>(nil)

  init(_ machine: PhotoQueueStateMachine, store: CaptureStore, now: @escaping @Sendable () -> MonotonicInstant) {
    self.machine = Locked(machine)
    self.store = store
    self.now = now
  }

  /// Sets the function that performs actions, before the first of them.
  func setPerformer(_ perform: @escaping @Sendable (PhotoQueueAction) -> Void) {
    performer.withLock { $0 = Performer(perform: perform) }
  }

  /// Changes the queue, and performs the actions that follow.
  func update<R: Sendable, E: Error>(_ body: (inout PhotoQueueStateMachine) throws(E) -> R) throws(E) -> R {
    let (result, actions) = try machine.withLock { machine throws(E) in
      let result = try body(&machine)
      let actions = machine.takeActions()
      if !actions.isEmpty { for action in actions { send(action) } }
      return (result, actions)
    }
    if actions.isEmpty { return result }
    let performer = performer.withLock { $0 }
    for action in actions { perform(action, performer) }
    return result
  }

  /// Reads the queue, or changes what no action follows from.
  func read<R: Sendable>(_ body: (inout PhotoQueueStateMachine) -> R) -> R { machine.withLock { body(&$0) } }

  /// Closes the queue, and ends the watchers with `error`.
  func close(_ error: CaptureError) {
    update { $0.close(error) }
    readinessChanged.end()
  }

  /// Sends an event of a capture, under the lock.
  private func send(_ action: PhotoQueueAction) {
    switch action {
    case .begin(let job, let estimate): job.begin(at: now(), estimate)
    case .send(let job, let event): job.send(event)
    default: break
    }
  }

  private func perform(_ action: PhotoQueueAction, _ performer: Performer?) {
    switch action {
    case .begin, .send: break
    case .fail(let job, let error):
      // The store has the result before the event is sent, so that a client that gets the event finds it.
      store.finish(job.uniqueID, .failure(error))
      job.finish(error)
    case .end(let job, let error): job.finish(error)
    case .tellReadiness: readinessChanged.tell()
    case .endExposure(let waiter, let result):
      if case .success(let pinned)? = result { waiter.yield(pinned) }
      waiter.finish(throwing: result?.failure)
    case .endPreparation(let waiter, let result):
      if case .success(let isReady) = result { waiter.yield(isReady) }
      waiter.finish(throwing: result.failure)
    case .decideFlash(let waiting, let isDark):
      for answer in waiting {
        answer.yield(isDark)
        answer.finish()
      }
    case .findFrames, .take, .tapCameras, .runDeferredStart, .wakeWorkers, .startWorkers, .warmUp, .measureLight,
      .watchDeadlines:
      performer?.perform(action)
    }
  }
}

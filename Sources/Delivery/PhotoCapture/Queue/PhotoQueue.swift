internal import CaptureCore
internal import Locking
internal import SystemClocks

/// The photo queue of one output, shared by all threads: its state under a lock, and what becomes of the actions that a
/// change leaves behind. Thread-safe.
///
/// The queue sends the events of captures and gives the answers. The work goes to its performer, the ``PhotoOutput``,
/// which may be gone by then.
final class PhotoQueue: Sendable {
  /// A function in a structure, because reading a plain function out of a lock allocates.
  private struct Performer: Sendable {
    let perform: @Sendable (PhotoQueueActions.Work) -> Void
  }

  /// Where the captures go.
  let destination: any PhotoDestination
  /// Tells those who watch readiness that it changed.
  let readinessChanged = Broadcast<Void>(depth: 1)
  /// CLOCK_MONOTONIC.
  let now: @Sendable () -> MonotonicInstant
  private let machine: Locked<PhotoQueueStateMachine>
  private let performer = Locked<Performer?>(nil)

  init(
    _ machine: PhotoQueueStateMachine, destination: any PhotoDestination,
    now: @escaping @Sendable () -> MonotonicInstant
  ) {
    self.machine = Locked(machine)
    self.destination = destination
    self.now = now
  }

  /// Sets the function that does the work, before the first of it.
  func setPerformer(_ perform: @escaping @Sendable (PhotoQueueActions.Work) -> Void) {
    performer.withLock { $0 = Performer(perform: perform) }
  }

  /// Changes the queue, and does what follows.
  func update<R: Sendable, E: Error>(_ body: (inout PhotoQueueStateMachine) throws(E) -> R) throws(E) -> R {
    let (result, answers, work) = try machine.withLock { machine throws(E) in
      let result = try body(&machine)
      let actions = machine.takeActions()
      for notice in actions.notices { send(notice) }
      return (result, actions.answers, actions.work)
    }
    for answer in answers { give(answer) }
    if work.isEmpty { return result }
    let performer = performer.withLock { $0 }
    for work in work { performer?.perform(work) }
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
  private func send(_ notice: PhotoQueueActions.Notice) {
    switch notice {
    case .begin(let job, let estimate): job.begin(at: now(), estimate)
    case .send(let job, let event): job.send(event)
    }
  }

  private func give(_ answer: PhotoQueueActions.Answer) {
    switch answer {
    case .tellReadiness: readinessChanged.tell()
    case .fail(let job, let error):
      // The destination has the result before the event is sent, so that a client that gets the event finds it.
      destination.finish(job.uniqueID, .failure(error))
      job.finish(error)
    case .end(let job, let error): job.finish(error)
    case .endExposure(let waiter, .success(let held)?):
      waiter.yield(held)
      waiter.finish()
    case .endExposure(let waiter, .failure(let error)?): waiter.finish(throwing: error)
    case .endExposure(let waiter, nil): waiter.finish()
    case .endPreparation(let waiter, .success(let isReady)):
      waiter.yield(isReady)
      waiter.finish()
    case .endPreparation(let waiter, .failure(let error)): waiter.finish(throwing: error)
    case .decideFlash(let waiting, let isDark):
      for answer in waiting {
        answer.yield(isDark)
        answer.finish()
      }
    }
  }
}

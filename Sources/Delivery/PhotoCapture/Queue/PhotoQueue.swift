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

/// What a change of the photo queue leaves to be done, in the order in which it is done. Cases with frames and photos
/// are indirect, because every copy of them would otherwise copy hundreds of bytes.
struct PhotoQueueActions: Sendable {
  typealias ExposureWaiter = AsyncThrowingStream<HeldFrame, any Error>.Continuation

  /// An event that ``PhotoQueue`` sends under its lock, so that no photo thread is ahead of it.
  enum Notice: Sendable {
    /// The capture's turn has come: its first event is sent, with the frames that it is to be made of and the time that
    /// this took lately. Captures begin in the order in which clients asked for them.
    case begin(PhotoJob, ProcessingForecast.Estimate)
    /// A later event of the capture is sent.
    indirect case send(PhotoJob, PhotoCaptureEvent.Kind)
  }

  /// What ``PhotoQueue`` tells those who wait or watch. It does so even when the output is gone: a photo thread still
  /// finishes and delivers what it works on.
  enum Answer: Sendable {
    /// Readiness is another.
    case tellReadiness
    /// The capture has no photo, for this reason.
    case fail(PhotoJob, CaptureError)
    /// The capture's last event is sent: it was delivered, or failed for this reason.
    case end(PhotoJob, CaptureError?)
    /// The step of a shot has its frames, or there will be none; nil when the capture has ended.
    indirect case endExposure(ExposureWaiter, Result<HeldFrame, CaptureError>?)
    /// A call that prepares settings ends: true when all is ready, false when a newer call took its place.
    case endPreparation(PreparedSettings.Waiter, Result<Bool, CaptureError>)
    /// The scene is dark or not, which is the answer to those that wait for it.
    case decideFlash([AsyncStream<Bool>.Continuation], isDark: Bool)
  }

  /// What ``PhotoOutput`` does. Nobody does it once the output is gone, which has then closed the queue.
  enum Work: Sendable {
    /// If photo threads have been started, there are to be as many as the features ask for.
    case startWorkers
    case runDeferredStart
    /// The cameras whose frames the queue wants are other ones.
    case tapCameras
    /// The light of the newest frame is to be measured, for captures that wait to know whether a flash fires.
    case measureLight
    /// As many captures as this can be processed now.
    case wakeWorkers(Int)
    /// Encoders and memory are to be made ready for photos to come.
    indirect case warmUp(PreparedSettings.WarmUp)
    /// This watcher is to wake for the next deadline.
    case watchDeadlines(UInt64)
    /// The frames of a capture that has begun are to be found, or the camera is to be set for it.
    indirect case findFrames(CapturePlaces.Turn)
  }

  var notices: [Notice] = []
  var answers: [Answer] = []
  var work: [Work] = []
}

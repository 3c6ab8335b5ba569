internal import CaptureCore

/// What the photo queue decided, for ``PhotoQueue`` and ``PhotoOutput`` to perform. Cases with frames and photos are
/// indirect, because every copy of an action would otherwise copy hundreds of bytes.
enum PhotoQueueAction: Sendable {
  typealias Places = PhotoQueueStateMachine.Places
  typealias ExposureWaiter = AsyncThrowingStream<PinnedFrame, any Error>.Continuation

  // ``PhotoQueue`` performs the following ones.

  /// The capture's turn has come: its first event is sent, with the frames that it is to be made of and the time that
  /// this took lately. Sent under the queue's lock, so that captures begin in the order in which clients asked for
  /// them.
  case begin(PhotoJob, ProcessingForecast.Estimate)
  /// An event of the capture is sent, under the queue's lock too, so that no photo thread is ahead of it.
  indirect case send(PhotoJob, PhotoCaptureEvent.Kind)
  /// The capture has no photo, for this reason.
  case fail(PhotoJob, CaptureError)
  /// The capture's last event is sent: it was delivered, or failed for this reason.
  case end(PhotoJob, CaptureError?)
  /// Readiness is another.
  case tellReadiness

  /// The step of a shot has its frames, or there will be none; nil when the capture has ended.
  indirect case endExposure(ExposureWaiter, Result<PinnedFrame, CaptureError>?)
  /// A call that prepares settings ends: true when all is ready, false when a newer call took its place.
  case endPreparation(PreparedSettings.Waiter, Result<Bool, CaptureError>)
  /// The scene is dark or not, which is the answer to those that wait for it.
  case decideFlash([AsyncStream<Bool>.Continuation], isDark: Bool)

  // ``PhotoOutput`` performs the following ones. They are not performed any more once the output is gone, which has
  // then closed the queue.

  /// The frames of a capture that has begun are to be found, or the camera is to be set for it.
  indirect case findFrames(Places.Turn)
  /// A capture that waited has this frame.
  indirect case take(Places.Ticket, PhotoJob, PinnedFrame)
  /// The cameras whose frames the queue wants are other ones.
  case tapCameras
  case runDeferredStart
  /// As many captures as this can be processed now.
  case wakeWorkers(Int)
  /// If photo threads have been started, there are to be as many as the features ask for.
  case startWorkers
  /// Encoders and memory are to be made ready for photos to come.
  indirect case warmUp(PreparedSettings.WarmUp)
  /// The light of the newest frame is to be measured, for captures that wait to know whether a flash fires.
  case measureLight
  /// This watcher is to wake for the next deadline.
  case watchDeadlines(UInt64)
}

internal import CaptureCore

/// What the photo queue decided, for ``PhotoQueue`` and ``PhotoOutput`` to perform.
enum PhotoQueueAction: Sendable {
  typealias Places = PhotoQueueStateMachine.Places
  typealias ExposureWaiter = AsyncThrowingStream<PinnedFrame, any Error>.Continuation

  // ``PhotoQueue`` performs the following ones.

  /// The capture's turn has come: its first event is sent, with the frames that it is to be made of and the time that
  /// this took lately. Sent under the queue's lock, so that captures begin in the order in which clients asked for
  /// them.
  case begin(PhotoJob, ProcessingForecast.Estimate)
  /// An event of the capture is sent, under the queue's lock too, so that no photo thread is ahead of it.
  case send(PhotoJob, PhotoCaptureEvent.Kind)
  /// The capture has no photo, for this reason.
  case fail(PhotoJob, CaptureError)
  /// The capture's last event is sent: it was delivered, or failed for this reason.
  case end(PhotoJob, CaptureError?)
  /// Readiness is another.
  case tellReadiness

  // ``PhotoOutput`` performs the following ones. They do nothing any more once the output is gone.

  /// The frames of a capture that has begun are to be found, or the camera is to be set for it.
  case findFrames(Places.Turn)
  /// A capture that waited has this frame.
  case take(Places.Ticket, PhotoJob, PinnedFrame)
  /// The step of a shot has its frames, or there will be none; nil when nobody wants them any more.
  case endExposure(ExposureWaiter, Result<PinnedFrame, CaptureError>?)
  case runDeferredStart
  /// As many captures as this can be processed now.
  case wakeWorkers(Int)
  /// As many threads as this are to make photos, if any have been started.
  case changeWorkers(Int)
  /// Encoders and memory are to be made ready for photos to come.
  case warmUp(PreparedSettings.WarmUp)
  /// A call that prepares settings ends: true when all is ready, false when a newer call took its place.
  case endPreparation(PreparedSettings.Waiter, Result<Bool, CaptureError>)
  /// The newest frame is to be looked at: somebody waits to know whether the scene is dark.
  case measureLight
  /// The scene is dark or not, which those who wait are told.
  case decideFlash([AsyncStream<Bool>.Continuation], isDark: Bool)
  /// This watcher is to wake for the next deadline.
  case watchDeadlines(UInt64)
}

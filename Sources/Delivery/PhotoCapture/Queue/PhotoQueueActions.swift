internal import CaptureCore

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

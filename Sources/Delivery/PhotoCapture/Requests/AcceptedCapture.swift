public import Locking

/// A capture that the photo output has accepted and that is in progress.
public struct AcceptedCapture: Sendable {
  /// The id of the capture: the client's, or the output's when the client gave none.
  public let uniqueID: String
  /// The events of the capture, up to its end. Each event is kept until it is read. A client that does not read them,
  /// or that drops the queue, does not cancel the capture.
  public let events: EventQueue<PhotoCaptureEvent>
  let job: PhotoJob

  /// Calls `body` when the capture has ended, or at once when it has ended already. May be called once.
  public func whenEnded(_ body: @escaping @Sendable () -> Void) { job.whenEnded(body) }
}

/// A capture that the photo output has accepted, and that is under way.
public struct AcceptedCapture: Sendable {
  public let uniqueID: String
  /// What happens to it, to its end. All events are kept until they are read; not reading them, or dropping the stream,
  /// does not cancel the capture.
  public let events: AsyncStream<PhotoCaptureEvent>
}

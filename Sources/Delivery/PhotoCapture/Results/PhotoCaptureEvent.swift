public import CaptureCore
public import SystemClocks

/// An event in the life of a capture.
public struct PhotoCaptureEvent: Sendable {
  /// The kinds of events, in the order in which they happen.
  ///
  /// Every capture has the first and the last kind. A capture that fails has the other kinds up to its failure, and
  /// then one `didFinishProcessingPhoto` with the error for each photo that is missing.
  public enum Kind: Sendable {
    /// The capture's turn has come, and its settings are resolved.
    case willBeginCapture
    /// The capture of the first photo begins.
    case willCapturePhoto
    /// The frame of a photo is held. The number, the stream and the input are those of the frame.
    case didCapturePhoto(sequence: UInt64, streamID: UInt64, input: String)
    /// A photo is finished, or will never be, for the reason in the error.
    case didFinishProcessingPhoto(Result<Photo, CaptureError>)
    /// The capture is over. The error is nil when all its photos were made.
    case didFinishCapture(CaptureError?)
  }

  /// The id of the capture.
  public var uniqueID: String
  /// When the event happened.
  public var time: MonotonicInstant
  /// What happened.
  public var kind: Kind
  /// The capture's settings, as far as they are resolved at the time of the event.
  public var resolved: ResolvedPhotoSettings
  /// The number of the event in the output's log, where its entry has the same number.
  public var id: UInt64

  /// A copy of the event without the photo's bytes, for the log, which keeps events for long.
  func withoutData() -> PhotoCaptureEvent {
    guard case .didFinishProcessingPhoto(.success(let photo)) = kind else { return self }
    var event = self
    event.kind = .didFinishProcessingPhoto(.success(photo.withoutData()))
    return event
  }
}

extension PhotoCaptureEvent.Kind {
  /// The frame of a photo is held.
  static func didCapturePhoto(_ frame: CapturedFrame) -> Self {
    .didCapturePhoto(sequence: frame.frame.sequence, streamID: frame.frame.streamID, input: frame.input)
  }
}

public import CaptureCore
public import SystemClocks

/// Something that happened to a capture.
public struct PhotoCaptureEvent: Sendable {
  /// In this order. The first and the last always come, the others as far as the capture gets; what fails has
  /// `didFinishProcessingPhoto` with the error too.
  public enum Kind: Sendable {
    /// The settings are resolved.
    case willBeginCapture
    case willCapturePhoto
    case didCapturePhoto(sequence: UInt64, streamID: UInt64)
    case didFinishProcessingPhoto(Result<Photo, CaptureError>)
    /// With the error if there is no photo.
    case didFinishCapture(CaptureError?)
  }

  public var uniqueID: String
  /// When it happened.
  public var time: MonotonicInstant
  public var kind: Kind
  public var resolved: ResolvedPhotoSettings
  /// Its number among the events of the output; an entry of the log has it as its own.
  public var id: UInt64

  /// The same without the photo's memory, to be kept for long.
  func withoutData() -> PhotoCaptureEvent {
    guard case .didFinishProcessingPhoto(.success(let photo)) = kind else { return self }
    var event = self
    event.kind = .didFinishProcessingPhoto(.success(photo.withoutData()))
    return event
  }
}

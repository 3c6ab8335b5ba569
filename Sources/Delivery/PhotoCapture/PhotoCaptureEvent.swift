public import CaptureCore

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
  /// When it happened, CLOCK_MONOTONIC.
  public var monotonicNanoseconds: UInt64
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

/// What automatic settings became.
public struct ResolvedPhotoSettings: Hashable, Sendable {
  public var encoding = PhotoEncoding.jpeg
  /// The photo's size. Nil when no frame has been captured yet.
  public var size: Size?
  /// The size of the thumbnail in its file. Nil for none, and as ``size`` is.
  public var thumbnailSize: Size?
  /// Whether the photo comes from the ring of recent frames.
  public var zeroShutterLagUsed: Bool
  public var quality: PhotoQuality
  /// Whether the photo will be lit.
  public var isFlashOn = false
  /// As asked for.
  public var manualExposure: ManualExposure?
  /// Photos that come.
  public var photoCount = 1
  /// Frames that the photo is to be made of.
  public var fusedFrameCount = 1
  /// How long the last photos of this quality took, nanoseconds; nil before the first.
  public var processingNanoseconds: ClosedRange<UInt64>?
}

/// A capture under way.
public struct PhotoCapture: Sendable {
  public let uniqueID: String
  /// What happens to it, to its end. All events are kept until they are read; not reading them, or dropping the stream,
  /// does not cancel the capture.
  public let events: AsyncStream<PhotoCaptureEvent>
}

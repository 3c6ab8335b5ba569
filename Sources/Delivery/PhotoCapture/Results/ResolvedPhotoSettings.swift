public import CaptureCore

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

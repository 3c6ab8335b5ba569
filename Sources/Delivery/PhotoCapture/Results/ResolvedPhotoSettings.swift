public import CaptureCore
internal import Imaging

/// The settings of a capture after the output has decided everything that the client left open.
public struct ResolvedPhotoSettings: Hashable, Sendable {
  /// The format of the photo's file.
  public var encoding = PhotoEncoding.jpeg
  /// The size of the photo in pixels; nil when the camera has brought no frame yet.
  public var size: Size?
  /// The size of the thumbnail in the photo's file, in pixels; nil for no thumbnail, and whenever ``size`` is nil.
  public var thumbnailSize: Size?
  /// Whether the photo comes from the ring of recent frames.
  public var zeroShutterLagUsed: Bool
  /// Whether quality or speed counts more. A burst may have lowered the quality that the client asked for.
  public var quality: PhotoQuality
  /// Whether a flash lights the photo.
  public var isFlashOn = false
  /// The exposure that the client asked for; nil when the camera keeps its exposure.
  public var manualExposure: ManualExposure?
  /// The number of photos that the capture makes.
  public var photoCount = 1
  /// The number of frames that the photo is to be made of. It is 1 until the capture's turn comes.
  public var fusedFrameCount = 1
  /// The shortest and the longest time, in nanoseconds, in which the output made the last photos of this kind; nil
  /// before the first.
  public var processingNanoseconds: ClosedRange<UInt64>?
}

extension ResolvedPhotoSettings {
  /// What the automatic settings of a request become.
  ///
  /// - Parameters:
  ///   - size: the photo's size; nil while no frame came.
  ///   - hasFrame: whether a frame of the ring is held for the capture.
  init(_ request: PhotoRequest, _ quality: PhotoQuality, size: Size?, hasFrame: Bool) {
    self.init(
      encoding: request.file.encoding, size: size,
      thumbnailSize: request.file.embeddedThumbnail.flatMap { size?.fitted(into: $0) }, zeroShutterLagUsed: hasFrame,
      quality: quality, isFlashOn: request.exposure.flashMode == .on,
      manualExposure: request.exposure.manualExposure, photoCount: request.photoCount)
  }
}

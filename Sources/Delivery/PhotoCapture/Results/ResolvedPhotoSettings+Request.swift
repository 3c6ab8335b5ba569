internal import CaptureCore
internal import Imaging

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

internal import CaptureCore
internal import Imaging

/// The file that an encoder makes of a picture.
struct PhotoFile: Sendable {
  /// The settings that the client asked for.
  var settings = PhotoFileSettings()
  /// The pixel format of an uncompressed photo: that of the camera's frames. Nil for the picture's own format.
  var pixelFormat: PixelFormat?
  /// The facts about the photo that the file records.
  var exif: EXIF
}

extension PhotoFile {
  /// Creates the file of a photo that is made of `held`.
  init(_ request: PhotoRequest, of held: HeldFrame) {
    self.init(request, of: held.captured, sensor: held.sensor)
  }

  /// Creates the file of a photo that is made of `captured`.
  ///
  /// - Parameter sensor: the sensor's settings for the photo, which may differ from those that the frame tells.
  init(_ request: PhotoRequest, of captured: CapturedFrame, sensor: SensorReadings) {
    self.init(
      settings: request.file, pixelFormat: captured.frame.layout.decoded.pixelFormat,
      exif: EXIF(
        time: captured.frame.time.wall, sensor: sensor, camera: captured.camera, isFlashFired: sensor.isFlashOn))
  }
}

/// How much one core of this machine does in a second. ``Calibration`` measures these figures; none has an assumed
/// value.
public struct CoreThroughput: Hashable, Sendable, Codable {
  /// Bytes that one core copies in a second between blocks of memory that are too large for its caches.
  public var copiedBytes: Double
  /// Pixels that one core converts to another pixel format in a second.
  public var convertedPixels: Double
  /// Pixels that one core compresses to JPEG in a second.
  public var encodedPixels: Double

  /// Takes measured figures, each for one core and one second.
  ///
  /// - Parameters:
  ///   - copiedBytes: bytes copied.
  ///   - convertedPixels: pixels converted to another pixel format.
  ///   - encodedPixels: pixels compressed to JPEG.
  public init(copiedBytes: Double, convertedPixels: Double, encodedPixels: Double) {
    self.copiedBytes = copiedBytes
    self.convertedPixels = convertedPixels
    self.encodedPixels = encodedPixels
  }
}

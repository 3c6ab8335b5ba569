/// What one core of this machine does in a second. Measured, never assumed; see ``Calibration``.
public struct CoreThroughput: Hashable, Sendable, Codable {
  /// Bytes of large memory copied.
  public var copiedBytes: Double
  /// Pixels converted.
  public var convertedPixels: Double
  /// Pixels compressed to JPEG.
  public var encodedPixels: Double

  public init(copiedBytes: Double, convertedPixels: Double, encodedPixels: Double) {
    self.copiedBytes = copiedBytes
    self.convertedPixels = convertedPixels
    self.encodedPixels = encodedPixels
  }
}

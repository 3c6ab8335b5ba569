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

/// What this machine can do.
public struct MachineCapacity: Hashable, Sendable {
  public var core: CoreThroughput
  /// Cores this process may use.
  public var cores: Int
  /// The share of its highest clock that the machine keeps up for ever, 0…1: firmware and thermal daemons cap it.
  public var sustainedShare: Double

  public init(core: CoreThroughput, cores: Int, sustainedShare: Double) {
    self.core = core
    self.cores = max(1, cores)
    self.sustainedShare = min(max(sustainedShare, 0.01), 1)
  }
}

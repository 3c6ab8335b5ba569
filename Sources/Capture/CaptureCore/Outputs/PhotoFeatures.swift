/// What a photo output's photos are made with, by the configuration.
public struct PhotoFeatures: Hashable, Sendable {
  /// Whether photos come from the ring of recent frames.
  public var zeroShutterLag: Bool
  /// The most that a request may ask for.
  public var maxQuality: PhotoQuality
  /// Whether a capture may begin while others are processed.
  public var responsiveCapture: Bool
  /// Whether later captures of a burst are made with less.
  public var fastCapturePrioritization: Bool
  /// What single captures can ask of the camera.
  public var shots: ShotCapabilities
  /// The most that a request may ask for; nil is as the camera streams.
  public var maxSize: Size?

  public init(
    zeroShutterLag: Bool = true, maxQuality: PhotoQuality = .speed, responsiveCapture: Bool = false,
    fastCapturePrioritization: Bool = false, shots: ShotCapabilities = ShotCapabilities()
  ) {
    self.zeroShutterLag = zeroShutterLag
    self.maxQuality = maxQuality
    self.responsiveCapture = responsiveCapture
    self.fastCapturePrioritization = fastCapturePrioritization
    self.shots = shots
  }

  /// Photos that one bracket may have: each holds a frame until all are taken.
  public static let maxBracketedPhotos = 5

  /// Bytes that frames are merged in, for each photo output whose photos are.
  public static let processingMemory = 192 << 20

  /// Photos of this size that may be merged at once: each takes nine prepared frames of 2.3 bytes a pixel, 3 bytes to merge
  /// them in, and its own.
  public static func maxProcessing(_ size: Size) -> Int { max(1, processingMemory / max(1, 26 * size.pixelCount)) }

  /// Captures that may be begun and not yet delivered.
  ///
  /// Three: one waits for its frames, one is processed, one encoded; each more would hold the memory of a photo.
  public var maxInFlight: Int { responsiveCapture ? 3 : 1 }
}

/// What counts more, the photo or the time it takes. Each allows what those before it do.
public enum PhotoQuality: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// The time: one frame, as it is.
  case speed = 1
  /// Both: a few frames become one.
  case balanced
  /// The photo: more frames, more work.
  case quality

  public static func < (a: PhotoQuality, b: PhotoQuality) -> Bool { a.rawValue < b.rawValue }
}

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

  public init(
    zeroShutterLag: Bool = true, maxQuality: PhotoQuality = .speed, responsiveCapture: Bool = false,
    fastCapturePrioritization: Bool = false
  ) {
    self.zeroShutterLag = zeroShutterLag
    self.maxQuality = maxQuality
    self.responsiveCapture = responsiveCapture
    self.fastCapturePrioritization = fastCapturePrioritization
  }

  /// Captures that may be begun and not yet delivered.
  ///
  /// Three: one waits for its frames, one is processed, one encoded; each more would hold the memory of a photo.
  public var maxInFlight: Int { responsiveCapture ? 3 : 1 }
}

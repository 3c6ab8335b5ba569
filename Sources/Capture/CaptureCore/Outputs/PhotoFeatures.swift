/// The features that the configuration gives to the photos of a photo output.
public struct PhotoFeatures: Hashable, Sendable {
  /// Whether photos come from the ring.
  public var zeroShutterLag: Bool
  /// The highest quality that a request may ask for.
  public var maxQuality: PhotoQuality
  /// Whether a capture may begin while earlier ones are still processed.
  public var responsiveCapture: Bool
  /// Whether the later captures of a burst are made with lower quality, so that the burst keeps its pace.
  public var fastCapturePrioritization: Bool
  /// The settings that a single capture can ask of the camera.
  public var shots: ShotCapabilities
  /// The largest photo size that a request may ask for, in pixels; nil for the size in which the camera streams.
  public var maxSize: Size?
  /// The ids of the inputs of which one capture may take a photo each, the output's own first; empty when a capture
  /// takes photos of the output's own camera only.
  public var constituents: [String] = []

  /// Creates features. By default, photos come from the ring, have the lowest quality, and are captured one at a time.
  ///
  /// - Parameters: as the properties of the same names. ``maxSize`` is nil, and ``constituents`` is empty.
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

  /// The greatest number of photos in one bracket. The bracket holds a frame for each photo until all are taken.
  public static let maxBracketedPhotos = 5

  /// The most frames of one camera that wait for frames of others with which they are to be captured at the same time.
  /// Cameras differ by up to three periods in how long they take to deliver a frame.
  public static let maxConstituentFrames = 4

  /// The bytes of memory in which frames are merged, for each photo output that merges frames.
  public static let processingMemory = 192 << 20

  /// How many photos of `size` may be merged at once, at least 1. Each photo takes 26 bytes a pixel: nine prepared
  /// frames of 2.3 bytes each, 3 bytes for merging, and the photo itself.
  public static func maxProcessing(_ size: Size) -> Int { max(1, processingMemory / max(1, 26 * size.pixelCount)) }

  /// How many captures may be in flight at once.
  ///
  /// With responsive capture, there are three: one waits for its frames, one is processed, and one is encoded. Each
  /// further capture would hold the memory of one more photo.
  public var maxInFlight: Int { responsiveCapture ? 3 : 1 }
}

/// Whether the quality of a photo or the time to make the photo counts more. An output that allows one case also allows
/// the cases before it.
public enum PhotoQuality: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// The time counts more: the photo is one frame, unchanged.
  case speed = 1
  /// Quality and time count alike: the photo is made of a few frames.
  case balanced
  /// The quality counts more: the photo is made of more frames, with more work.
  case quality

  /// Whether `a` is the lower quality, for which a photo takes less time.
  public static func < (a: PhotoQuality, b: PhotoQuality) -> Bool { a.rawValue < b.rawValue }
}

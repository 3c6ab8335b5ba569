/// What one capture needs the camera to be set to, for each of its photos in turn. Afterwards all is as it was.
public struct Shot: Hashable, Sendable {
  /// How the light of a photo is collected.
  public enum Exposure: Hashable, Sendable {
    /// As the camera is set.
    case unchanged
    case manual(ManualExposure)
    /// So many EV brighter than automatic exposure likes it.
    case bias(Double)
  }

  /// One photo.
  public struct Step: Hashable, Sendable {
    public var exposure: Exposure
    public var flash: Bool

    public init(exposure: Exposure = .unchanged, flash: Bool = false) {
      self.exposure = exposure
      self.flash = flash
    }
  }

  public var steps: [Step]
  /// Of the photos; nil is as the camera streams.
  public var size: Size?

  public init(steps: [Step], size: Size? = nil) {
    self.steps = steps
    self.size = size
  }
}

/// An exposure set by hand. Nil is as the camera is set.
public struct ManualExposure: Hashable, Sendable {
  /// How long the sensor collects light. Cameras count in 100 µs.
  public var nanoseconds: UInt64?
  /// In the unit of the driver's gain control.
  public var gain: Int64?

  public init(nanoseconds: UInt64? = nil, gain: Int64? = nil) {
    self.nanoseconds = nanoseconds
    self.gain = gain
  }
}

/// The camera is set for a photo: which frames have that.
public struct ShotConditions: Hashable, Sendable {
  /// When the settings were made, CLOCK_MONOTONIC: exposures that begin later may have them.
  public var earliest: UInt64
  /// When the flash goes out by itself; nil when it does not.
  public var latest: UInt64?
  /// What was set; nil is as it was.
  public var readings: SensorReadings
  public var isFlashOn: Bool
  /// Whether the camera needs frames to find the exposure it was asked for.
  public var settles: Bool

  public init(
    earliest: UInt64, latest: UInt64? = nil, readings: SensorReadings = SensorReadings(), isFlashOn: Bool = false,
    settles: Bool = false
  ) {
    self.earliest = earliest
    self.latest = latest
    self.readings = readings
    self.isFlashOn = isFlashOn
    self.settles = settles
  }
}

/// A shot that failed after the camera was touched for it.
public struct ShotFailure: Error {
  public var cause: any Error
  /// The instant from which frames are as before, CLOCK_MONOTONIC.
  public var end: UInt64

  public init(_ cause: any Error, end: UInt64) {
    self.cause = cause
    self.end = end
  }
}

/// What single captures can ask of a camera.
public struct ShotCapabilities: Hashable, Sendable {
  /// Nanoseconds; nil where exposure cannot be set by hand.
  public var exposures: ClosedRange<UInt64>?
  /// Nil where gain cannot be set by hand.
  public var gains: ClosedRange<Int64>?
  /// EV; nil where exposure cannot be made brighter or darker.
  public var biases: ClosedRange<Double>?
  public var hasFlash: Bool
  /// What photos may measure: as the camera streams, then larger ones.
  public var sizes: [Size] = []

  /// Photos of a bracket; 0 where nothing can differ.
  public var maxBracketedPhotos: Int {
    exposures == nil && gains == nil && biases == nil ? 0 : PhotoFeatures.maxBracketedPhotos
  }

  public init(
    exposures: ClosedRange<UInt64>? = nil, gains: ClosedRange<Int64>? = nil, biases: ClosedRange<Double>? = nil,
    hasFlash: Bool = false
  ) {
    self.exposures = exposures
    self.gains = gains
    self.biases = biases
    self.hasFlash = hasFlash
  }
}

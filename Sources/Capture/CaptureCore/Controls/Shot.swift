public import SystemClocks

/// The settings that one capture needs the camera to have, step by step. After the last step, the camera is set back to
/// its former settings.
public struct Shot: Hashable, Sendable {
  /// How long and with which gain the sensor collects the light of a photo.
  public enum Exposure: Hashable, Sendable {
    /// The exposure that the camera is set to.
    case unchanged
    case manual(ManualExposure)
    /// Brighter than automatic exposure would make the photo, by this many EV; darker when negative.
    case bias(Double)
  }

  /// The settings for one photo of the shot.
  public struct Step: Hashable, Sendable {
    /// The exposure of this photo.
    public var exposure: Exposure
    /// Whether the flash lights this photo.
    public var flash: Bool

    /// Creates a step. Without arguments, it leaves the exposure unchanged and the flash off.
    public init(exposure: Exposure = .unchanged, flash: Bool = false) {
      self.exposure = exposure
      self.flash = flash
    }
  }

  /// The steps, one for each photo, in the order in which the photos are taken.
  public var steps: [Step]
  /// The size of the photos in pixels; nil for the size in which the camera streams.
  public var size: Size?

  /// Creates a shot.
  ///
  /// - Parameter size: the size of the photos in pixels; nil for the size in which the camera streams.
  public init(steps: [Step], size: Size? = nil) {
    self.steps = steps
    self.size = size
  }
}

/// The settings that a single capture can ask of a camera.
public struct ShotCapabilities: Hashable, Sendable {
  /// The exposure times that can be set by hand, in nanoseconds; nil for a camera whose exposure cannot be set by hand.
  public var exposures: ClosedRange<UInt64>?
  /// The gains that can be set by hand, in the unit of the driver's gain control; nil for a camera whose gain cannot be
  /// set by hand.
  public var gains: ClosedRange<Int64>?
  /// The exposure biases, in EV; nil for a camera whose exposure cannot be made brighter or darker.
  public var biases: ClosedRange<Double>?
  /// Whether the camera has a flash or a torch that can light a photo.
  public var hasFlash: Bool
  /// The sizes that a photo may have, in pixels: first the size in which the camera streams, then larger ones.
  public var sizes: [Size] = []

  /// How many photos a bracket may have at most; 0 for a camera that cannot vary its exposure.
  public var maxBracketedPhotos: Int {
    exposures == nil && gains == nil && biases == nil ? 0 : PhotoFeatures.maxBracketedPhotos
  }

  /// Creates the capabilities of a camera, without any ``sizes``.
  ///
  /// - Parameters: as the properties of the same names.
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

/// How a camera is set for one step of a shot, so that the output can tell which frames have these settings.
public struct ShotConditions: Hashable, Sendable {
  /// When the settings were made. Only exposures that begin later may have the settings.
  public var earliest: MonotonicInstant
  /// When the flash goes out by itself; nil when it does not.
  public var latest: MonotonicInstant?
  /// The values that were set. A value that is nil was left unchanged.
  public var readings: SensorReadings
  /// Whether the flash lights this step.
  public var isFlashOn: Bool
  /// Whether the camera needs several frames until it has found the exposure that it was asked for.
  public var settles: Bool

  /// Creates the conditions of a step.
  ///
  /// - Parameters:
  ///   - earliest: when the settings were made.
  ///   - latest: when the flash goes out by itself; nil when it does not.
  public init(
    earliest: MonotonicInstant, latest: MonotonicInstant? = nil, readings: SensorReadings = SensorReadings(),
    isFlashOn: Bool = false, settles: Bool = false
  ) {
    self.earliest = earliest
    self.latest = latest
    self.readings = readings
    self.isFlashOn = isFlashOn
    self.settles = settles
  }
}

/// The failure of a shot after some of the camera's settings were changed for it.
public struct ShotFailure: Error {
  /// The error that ended the shot.
  public var cause: any Error
  /// The instant from which on frames have the camera's former settings again.
  public var end: MonotonicInstant

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - cause: the error that ended the shot.
  ///   - end: the instant from which on frames have the camera's former settings again.
  public init(_ cause: any Error, end: MonotonicInstant) {
    self.cause = cause
    self.end = end
  }
}

/// An exposure that a client sets by hand. A value that is nil stays as the camera is set.
public struct ManualExposure: Hashable, Sendable {
  /// How long the sensor collects light, in nanoseconds. Cameras count this time in units of 100 µs. Nil leaves the
  /// camera's exposure time unchanged.
  public var nanoseconds: UInt64?
  /// The value of the driver's gain control, in that control's unit. Nil leaves the camera's gain unchanged.
  public var gain: Int64?

  /// Creates an exposure; each value that is nil stays as the camera is set.
  public init(nanoseconds: UInt64? = nil, gain: Int64? = nil) {
    self.nanoseconds = nanoseconds
    self.gain = gain
  }
}

internal import Synchronization
public import SystemClocks

/// One picture from a camera. A frame is immutable and shared by reference; its memory is freed when the last user lets
/// go.
///
/// The sequence number and the times are the driver's.
public final class Frame: Sendable {
  /// The id of the stream, which is a new one after every STREAMON; see ``StreamID``.
  public let streamID: UInt64
  /// The driver's sequence number, extended to 64 bits so that it does not wrap around.
  public let sequence: UInt64
  /// When the camera captured the frame.
  public let time: FrameTime
  /// How the picture lies in `buffer`.
  public let layout: FrameLayout
  /// The bytes of the picture.
  public let buffer: FrameBuffer
  /// The camera's frames between the frame that its source published last and this one, by cause: the driver skipped
  /// them, they came damaged, or there was no memory for them.
  public let missing: DropCounts
  /// The exposure, gain and flash of the frame, as far as the driver tells.
  public let sensor: SensorReadings
  /// What each layer shows, in the order of the layout, when the daemon composed the picture of several inputs; empty
  /// for a camera's own picture.
  public let layers: [ComposedLayer]
  /// The place of a coded picture in its stream, for a camera that sends H.264 or HEVC; nil for any other picture.
  public let coded: CodedPicture?

  /// Creates a frame.
  ///
  /// - Parameters:
  ///   - missing: the frames that were lost between the frame published last and this one; by default none.
  ///   - sensor: by default, the driver tells nothing.
  ///   - layers: what each layer of a composed picture shows; by default, the picture is not composed.
  ///   - coded: the place of a coded picture in its stream; by default, the picture needs no other one.
  public init(
    streamID: UInt64, sequence: UInt64, time: FrameTime, layout: FrameLayout, buffer: FrameBuffer,
    missing: DropCounts = DropCounts(), sensor: SensorReadings = SensorReadings(), layers: [ComposedLayer] = [],
    coded: CodedPicture? = nil
  ) {
    self.streamID = streamID
    self.sequence = sequence
    self.time = time
    self.layout = layout
    self.buffer = buffer
    self.missing = missing
    self.sensor = sensor
    self.layers = layers
    self.coded = coded
  }

  /// Returns the same picture with other losses before it.
  public func with(missing: DropCounts) -> Frame {
    Frame(
      streamID: streamID, sequence: sequence, time: time, layout: layout, buffer: buffer, missing: missing,
      sensor: sensor, layers: layers, coded: coded)
  }
}

/// When a frame was captured, as the driver states it.
public struct FrameTime: Hashable, Sendable {
  /// The instant of the exposure that the time stamp marks (`V4L2_BUF_FLAG_TSTAMP_SRC_*`).
  public enum Source: Hashable, Sendable {
    case startOfExposure
    case endOfFrame
    /// The driver gives no monotonic time stamp; the stamp is the instant at which the capture thread dequeued the
    /// frame.
    case arrival
  }

  /// The driver's time stamp. This time is the authoritative one.
  public var monotonic: MonotonicInstant
  /// The same instant on the wall clock. The source computes it once, when it dequeues the frame.
  public var wall: WallInstant
  /// The instant of the exposure that the time stamp marks.
  public var source: Source

  /// Creates a time.
  ///
  /// - Parameters:
  ///   - monotonic: the driver's time stamp.
  ///   - wall: the same instant on the wall clock.
  public init(monotonic: MonotonicInstant, wall: WallInstant, source: Source) {
    self.monotonic = monotonic
    self.wall = wall
    self.source = source
  }
}

/// Makes the ids that tell the stream of one STREAMON from the stream of the next.
public enum StreamID {
  private static let last = Atomic<UInt64>(0)

  /// Makes an id that is larger than all earlier ones: the microseconds since the Unix epoch, or the former id plus one
  /// if that is larger. So ids are unique across restarts of the daemon too, and below 2^53, as clients need that store
  /// numbers as doubles.
  public static func next() -> UInt64 {
    let now = WallInstant.now().nanoseconds / 1000
    while true {
      let previous = last.load(ordering: .relaxed)
      let next = max(previous + 1, now)
      if last.compareExchange(expected: previous, desired: next, ordering: .relaxed).exchanged { return next }
    }
  }
}

/// The settings that a camera says it takes pictures with. A value that the camera does not tell is nil; no value is a
/// guess.
public struct SensorReadings: Hashable, Sendable {
  /// How long the sensor collects light, in nanoseconds; nil when the camera does not tell.
  public var exposureNanoseconds: UInt64?
  /// The value of the driver's gain control, in that control's unit; nil when the camera does not tell.
  public var gain: Int64?
  /// By how many EV automatic exposure makes the picture brighter; nil when the camera does not tell.
  public var exposureBias: Double?
  /// Whether a flash lights the picture; nil when the camera does not tell.
  public var isFlashOn: Bool?
  /// Whether the readings belong to this very frame. V4L2 only tells the settings that a camera had a little earlier.
  public var isOfFrame = false

  /// Creates readings that are not of a particular frame.
  ///
  /// - Parameters:
  ///   - exposureNanoseconds: nil when the camera does not tell.
  ///   - gain: in the unit of the driver's gain control; nil when the camera does not tell.
  public init(exposureNanoseconds: UInt64? = nil, gain: Int64? = nil) {
    self.exposureNanoseconds = exposureNanoseconds
    self.gain = gain
  }
}

/// Decides whether the exposure of a camera has settled.
public enum Settling {
  /// The limit on how much darker than the brightest frame the darkest frame may be, as a share of the brightest.
  public static let tolerance = 0.02

  /// Whether frames are equally bright.
  ///
  /// - Parameter lumas: the mean luma of each frame, 0 to 255.
  public static func isSettled(_ lumas: some Collection<Double>) -> Bool {
    guard let darkest = lumas.min(), let brightest = lumas.max() else { return false }
    // The limit is never below that for a luma of 1, so that black frames count as equally bright.
    return brightest - darkest < tolerance * max(brightest, 1)
  }
}

/// One picture from a device: immutable, shared by reference, freed when the last reader lets go.
///
/// Numbers and times are the driver's. A frame never holds a kernel buffer, so a stuck reader cannot starve the driver.
public final class Frame: Sendable {
  /// New at every STREAMON; see ``StreamID``.
  public let streamID: UInt64
  /// The driver's sequence number, unwrapped to 64 bits.
  public let sequence: UInt64
  public let time: FrameTime
  public let layout: FrameLayout
  public let buffer: FrameBuffer
  /// Frames the driver numbered but nobody got, immediately before this one, by cause.
  public let missing: DropCounts
  /// What it was taken with, as far as the driver tells.
  public let sensor: SensorReadings

  public init(
    streamID: UInt64, sequence: UInt64, time: FrameTime, layout: FrameLayout, buffer: FrameBuffer,
    missing: DropCounts = DropCounts(), sensor: SensorReadings = SensorReadings()
  ) {
    self.streamID = streamID
    self.sequence = sequence
    self.time = time
    self.layout = layout
    self.buffer = buffer
    self.missing = missing
    self.sensor = sensor
  }
}

/// What a camera says that it takes pictures with. Nil is not told; nothing here is a guess.
public struct SensorReadings: Hashable, Sendable {
  /// How long the sensor collects light.
  public var exposureNanoseconds: UInt64?
  /// The value of the driver's gain control, in its own unit.
  public var gain: Int64?
  /// EV that automatic exposure makes it brighter by.
  public var exposureBias: Double?
  /// Whether a flash lights it.
  public var isFlashOn: Bool?
  /// Whether they are this very frame's. V4L2 only tells what a camera was set to a little earlier.
  public var isOfFrame = false

  public init(exposureNanoseconds: UInt64? = nil, gain: Int64? = nil) {
    self.exposureNanoseconds = exposureNanoseconds
    self.gain = gain
  }
}

/// Frames lost, by cause. Delivered + dropped = produced.
public struct DropCounts: Hashable, Sendable {
  /// The reader was too slow; a newer frame took the place.
  public var late: UInt64
  /// The frame pool was used up.
  public var outOfBuffers: UInt64
  /// The driver skipped sequence numbers, or the stream was restarted.
  public var discontinuity: UInt64
  /// The camera or its driver brought a damaged picture: flagged as such, cut off, of another size, or not to be decoded.
  public var damaged: UInt64

  public init(late: UInt64 = 0, outOfBuffers: UInt64 = 0, discontinuity: UInt64 = 0, damaged: UInt64 = 0) {
    self.late = late
    self.outOfBuffers = outOfBuffers
    self.discontinuity = discontinuity
    self.damaged = damaged
  }

  public var total: UInt64 { late + outOfBuffers + discontinuity + damaged }

  public static func += (a: inout DropCounts, b: DropCounts) {
    a.late += b.late
    a.outOfBuffers += b.outOfBuffers
    a.discontinuity += b.discontinuity
    a.damaged += b.damaged
  }
}

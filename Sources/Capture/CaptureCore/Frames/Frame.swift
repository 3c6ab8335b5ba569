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

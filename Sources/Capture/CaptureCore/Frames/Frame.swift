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

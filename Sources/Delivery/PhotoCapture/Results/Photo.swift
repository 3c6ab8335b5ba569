public import CaptureCore
public import Imaging

/// A finished photo. It holds none of the camera's memory.
public struct Photo: Sendable {
  /// The driver's number of the frame, and its stream.
  public var sequence: UInt64
  public var streamID: UInt64
  /// When the frame was captured.
  public var time: FrameTime
  /// The `id` of the session's input.
  public var input: String
  /// The session's configuration when the frame was captured.
  public var configRevision: UInt64
  public var encoding = PhotoEncoding.jpeg
  /// The encoded photo.
  public var picture: Picture
  /// Whether it comes from the ring of recent frames.
  public var zeroShutterLagUsed: Bool
  /// Capture time minus the instant asked for, nanoseconds: negative when the frame is older.
  ///
  /// The instant asked for is the request's arrival for "now", the time named, or the capture time of the frame named
  /// (so 0 when it was found). Nil when the frame named was not found: nobody knows when it was captured.
  public var shutterLagNanoseconds: Int64?
  /// Whether it shows what was asked for.
  public var match: FrameMatch
  /// What counted more, as resolved. ``fusedFrameCount`` tells what came of it.
  public var quality: PhotoQuality
  /// Frames that it is made of: fewer than resolved where they could not be had.
  public var fusedFrameCount: Int
  /// From the request's arrival until its frame was held, nanoseconds.
  public var pinNanoseconds: UInt64
  public var phases: PhotoPhases
  /// Bytes of the encoded photo; stays when the bytes are left out.
  public var byteCount: Int
  /// What it was taken with, as far as that is known.
  public var sensor = SensorReadings()
  /// Its place in the bracket, from 0; nil when it is not one of several.
  public var bracketIndex: Int?

  /// Counts the memory as held by a reader.
  var loan: FrameLoan?

  /// All that is told of it, and none of its memory.
  func withoutData() -> Photo {
    var photo = self
    photo.picture.buffer = .empty
    photo.loan = nil
    return photo
  }

  /// The same for a reader who may take long. Without its memory when readers hold so much that new photos would lack it.
  public var lent: Photo {
    var photo = self
    photo.loan = FrameLoan(picture.buffer)
    return picture.buffer.leavesRoom(for: 0) ? photo : withoutData()
  }

  /// Whether it has its bytes.
  public var hasData: Bool { picture.buffer.count == byteCount }
}

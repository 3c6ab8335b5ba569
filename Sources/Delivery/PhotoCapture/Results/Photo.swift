public import CaptureCore
public import Imaging
public import SystemClocks

/// A finished photo. It holds none of the camera's memory.
public struct Photo: Sendable {
  /// The frame that the photo shows. A photo that is merged of several frames shows the scene as in this frame.
  public var frame: PhotoFrame
  /// Where the frame was found, and how well it fits the request.
  public var selection: FrameSelection
  /// The format of the photo's file.
  public var encoding = PhotoEncoding.jpeg
  /// The encoded photo.
  public var picture: Picture
  /// Whether quality or speed counted more for this photo. ``fusedFrameCount`` says how many frames were merged.
  public var quality: PhotoQuality
  /// The number of frames that the photo is made of. It is lower than the resolved number when frames or the memory to
  /// merge them were missing.
  public var fusedFrameCount: Int
  /// How long the parts of the work on the photo took.
  public var phases: PhotoPhases
  /// The size of the encoded photo in bytes, also of a copy without the bytes.
  public var byteCount: Int
  /// The sensor's settings for the photo; a setting that is unknown is nil.
  public var sensor = SensorReadings()
  /// The place of the photo in its bracket, from 0; nil when the capture makes one photo.
  public var bracketIndex: Int?

  /// The loan of the photo's memory to a reader; nil for the copy in the store.
  var loan: FrameLoan?

  /// A copy of the photo without its bytes.
  func withoutData() -> Photo {
    var photo = self
    photo.picture.buffer = .empty
    photo.loan = nil
    return photo
  }

  /// A copy for a reader that may keep the photo for long. The copy has no bytes when readers hold so much memory that
  /// new photos would lack it.
  public var lent: Photo {
    var photo = self
    photo.loan = FrameLoan(picture.buffer)
    return picture.buffer.leavesRoom(for: 0) ? photo : withoutData()
  }

  /// Whether this copy has the bytes of the photo.
  public var hasData: Bool { picture.buffer.count == byteCount }
}

/// The camera's frame that a photo shows.
public struct PhotoFrame: Hashable, Sendable {
  /// The driver's number of the frame in its stream.
  public var sequence: UInt64
  /// The stream that the frame belongs to.
  public var streamID: UInt64
  /// When the frame was captured.
  public var time: FrameTime
  /// The `id` of the session's input that the frame came from.
  public var input: String
  /// The id of the camera, as ``CaptureCore/CapturedFrame/device`` tells it.
  public var device: String
  /// The revision of the session's configuration when the frame was captured.
  public var configRevision: UInt64
  /// What each layer shows, when the daemon composed the frame; empty for a camera's own frame.
  public var layers: [ComposedLayer] = []
}

extension PhotoFrame {
  init(_ captured: CapturedFrame) {
    let frame = captured.frame
    self.init(
      sequence: frame.sequence, streamID: frame.streamID, time: frame.time, input: captured.input,
      device: captured.device, configRevision: captured.configRevision, layers: frame.layers)
  }
}

/// Where the frame of a photo was found, and how well it fits the request.
public struct FrameSelection: Hashable, Sendable {
  /// Whether the frame comes from the ring of recent frames, and the capture did not have to wait for it.
  public var zeroShutterLagUsed: Bool
  /// Whether the photo shows the frame that the client asked for.
  public var match: FrameMatch
  /// The frame's capture time minus the instant that the client asked for, in nanoseconds: negative when the frame is
  /// older.
  ///
  /// For a request for "now", the instant is the arrival of the request. For a request that names a time, it is that
  /// time. For a request that names a frame, it is that frame's capture time: the lag is 0 when the frame was found,
  /// and nil when it was not, because its capture time is unknown.
  public var shutterLagNanoseconds: Int64?
  /// The sequence number of the damaged frame that this frame replaces; nil when it replaces none. After several
  /// replacements, this is the number of the first damaged frame.
  var replacedSequence: UInt64?
}

/// Whether a photo shows the frame that the client asked for.
public enum FrameMatch: Hashable, Sendable {
  /// The photo shows the frame or the time that the request names, or the frame of "now".
  case exact
  /// The frame that the request names was not kept, so that the photo shows the nearest frame that was.
  case nearest
  /// The frame that the client asked for was damaged, so that the photo shows the nearest intact frame, or, for a photo
  /// of "now", the next intact frame.
  case damaged
}

/// When the phases of the work on a photo began and ended.
public struct PhotoPhases: Hashable, Sendable {
  /// The time from the request's arrival until the output held the photo's frame, in nanoseconds.
  public var holdNanoseconds: UInt64
  /// When the capture's turn came.
  public var captureBegin: MonotonicInstant
  /// When the output held all frames of the photo.
  public var captureEnd: MonotonicInstant
  /// When a photo thread began to make the picture from the frames of the photo.
  public var processBegin: MonotonicInstant
  /// When the picture was made.
  public var processEnd: MonotonicInstant
  /// When the photo thread began to encode the picture.
  public var encodeBegin: MonotonicInstant
  /// When the file of the photo was finished.
  public var encodeEnd: MonotonicInstant
}

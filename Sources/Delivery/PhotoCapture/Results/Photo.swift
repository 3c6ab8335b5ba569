public import CaptureCore
public import Imaging

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

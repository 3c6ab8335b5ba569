internal import CaptureCore
internal import Imaging

/// Makes one picture of the frames of a photo, in the order they were taken, for the instant of one of them.
///
/// - Returns: the picture, which may be a frame's own, and how many frames it is made of.
typealias ProcessFrames = (
  _ frames: [Picture], _ reference: Int, _ quality: PhotoQuality
) throws(CaptureError) -> (picture: Picture, frameCount: Int)

/// How the frames of a photo become one picture.
struct PhotoProcessing: Sendable {
  /// How many frames a photo of this quality is made of, where they can be had.
  var frameCount: @Sendable (PhotoQuality) -> Int
  /// Makes a processor on the thread that will use it, with the memory its pictures come from.
  var makeProcessor: @Sendable (FramePool) -> ProcessFrames

  /// One frame, as it is.
  static let none = PhotoProcessing(frameCount: { _ in 1 }) { _ in
    { (frames, reference, _) throws(CaptureError) in (frames[reference], 1) }
  }
}

internal import CaptureCore
internal import Imaging
internal import PhotoFusion

/// How the frames of a photo become one picture.
struct PhotoProcessing: Sendable {
  /// Makes one picture of frames in the order they were taken, for the instant of one of them. Belongs to a thread.
  struct Processor {
    /// - Parameter shouldStop: asked now and then; when it says yes, nobody wants the picture.
    /// - Returns: the picture, which may be a frame's own, and how many frames it is made of.
    var process:
      (_ frames: [Picture], _ reference: Int, _ quality: PhotoQuality, _ shouldStop: () -> Bool)
        throws(CaptureError) -> (picture: Picture, frameCount: Int)
    /// Makes one picture of frames that are exposed in different ways; of those that it can, the reference at least.
    var mergeExposures:
      (_ frames: [Picture], _ reference: Int, _ shouldStop: () -> Bool)
        throws(CaptureError) -> (picture: Picture, frameCount: Int)
    /// Lets go of what is kept for the next photo.
    var rest: () -> Void
  }

  /// How many frames a photo of this quality is made of, where they can be had.
  var frameCount: @Sendable (PhotoQuality) -> Int
  /// Makes a processor on the thread that will use it, with the memory it works in.
  var makeProcessor: @Sendable (FramePool) -> Processor

  /// Fusion of several frames; of one, nothing.
  static let fusion = PhotoProcessing(frameCount: { $0.strength?.frameLimit ?? 1 }) { pool in
    let fusion = FrameFusion(pool: pool)
    return Processor(
      process: { (frames, reference, quality, shouldStop) throws(CaptureError) in
        guard let strength = quality.strength, frames.count > 1 else { return (frames[reference], 1) }
        // A photo with more noise is better than none, and some frames are better than one; its frame count tells.
        for strength in strength == .full ? [.full, .balanced] : [strength] {
          do throws(CaptureError) {
            let fused = try fusion.fuse(frames, reference: reference, strength: strength, shouldStop: shouldStop)
            return (fused.picture, fused.frameCount)
          } catch {
            guard error.reason == .outOfBuffers else { throw error }
            fusion.releaseMemory()
          }
        }
        return (frames[reference], 1)
      },
      mergeExposures: { (frames, reference, shouldStop) throws(CaptureError) in
        // Rare, and as large as what is kept for the next photo.
        fusion.releaseMemory()
        do throws(CaptureError) {
          let fused = try ExposureFusion(pool: pool).fuse(frames, reference: reference, shouldStop: shouldStop)
          return (fused.picture, fused.count)
        } catch {
          // The moment is gone, and one exposure is better than none; its frame count tells.
          guard error.reason == .outOfBuffers else { throw error }
          return (frames[reference], 1)
        }
      }, rest: fusion.releaseMemory)
  }
}

extension PhotoQuality {
  fileprivate var strength: FrameFusion.Strength? {
    switch self {
    case .speed: nil
    case .balanced: .balanced
    case .quality: .full
    }
  }
}

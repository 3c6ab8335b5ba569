internal import CaptureCore
internal import Imaging
internal import PhotoFusion

/// The way in which an output makes one picture of the frames of a photo.
struct PhotoProcessing: Sendable {
  /// Makes one picture of several frames. Only the thread that made a processor uses it.
  ///
  /// The frames are in the order of their capture, and the picture shows the instant of one of them, the reference. A
  /// processor asks `shouldStop` now and then; after a yes, it throws, because no client wants the picture any more.
  struct Processor {
    /// Makes a picture of frames with equal exposures.
    ///
    /// - Returns: the picture, which may be that of the reference itself, and the number of frames it is made of.
    var process:
      (_ frames: [Picture], _ reference: Int, _ quality: PhotoQuality, _ shouldStop: () -> Bool)
        throws(CaptureError) -> (picture: Picture, frameCount: Int)
    /// Makes a picture of frames with different exposures. It leaves out frames that cannot be merged.
    ///
    /// - Returns: as ``process``.
    var mergeExposures:
      (_ frames: [Picture], _ reference: Int, _ shouldStop: () -> Bool)
        throws(CaptureError) -> (picture: Picture, frameCount: Int)
    /// Releases the memory that the processor keeps for the next photo.
    var rest: () -> Void
  }

  /// The number of frames that a photo of this quality is made of when the camera brings enough of them.
  var frameCount: @Sendable (PhotoQuality) -> Int
  /// Makes a processor that works in the memory of the pool. The thread that will use the processor must call this.
  var makeProcessor: @Sendable (FramePool) -> Processor

  /// Merges several frames into one picture, and leaves a single frame as it is.
  static let fusion = PhotoProcessing(frameCount: { $0.strength?.frameLimit ?? 1 }) { pool in
    let fusion = FrameFusion(pool: pool)
    return Processor(
      process: { (frames, reference, quality, shouldStop) throws(CaptureError) in
        guard let strength = quality.strength, frames.count > 1 else { return (frames[reference], 1) }
        // When memory is short, the photo is made of fewer frames or of one: a photo with more noise is better than no
        // photo, and its frame count tells the client.
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
        // Merging exposures needs as much memory as the processor keeps for the next photo, and happens rarely.
        fusion.releaseMemory()
        do throws(CaptureError) {
          let fused = try ExposureFusion(pool: pool).fuse(frames, reference: reference, shouldStop: shouldStop)
          return (fused.picture, fused.count)
        } catch {
          // When memory is short, the photo is one exposure: the moment cannot be captured again, and the photo's frame
          // count tells the client.
          guard error.reason == .outOfBuffers else { throw error }
          return (frames[reference], 1)
        }
      }, rest: fusion.releaseMemory)
  }
}

extension PhotoQuality {
  /// How many frames are merged, and with how much work; nil for a photo that is one frame, unchanged.
  var strength: FrameFusion.Strength? {
    switch self {
    case .speed: nil
    case .balanced: .balanced
    case .quality: .full
    }
  }
}

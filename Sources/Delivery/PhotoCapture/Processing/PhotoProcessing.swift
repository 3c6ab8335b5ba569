internal import CaptureCore
internal import Imaging
internal import PhotoFusion
internal import SystemClocks

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

/// How many frames a photo is to be made of, and how long the last such photos took. A value.
///
/// Times are kept by quality and number of frames, because the work is in proportion to the frames, and under pressure
/// there are fewer of them. Merging exposures is other work than merging frames, so its times are kept apart.
struct ProcessingForecast: Sendable {
  /// What is expected of one photo.
  struct Estimate: Hashable, Sendable {
    /// The frames that the photo is to be made of.
    var frameCount: Int
    /// The shortest and the longest time of the last such photos, in nanoseconds; nil before the first of them.
    var nanoseconds: ClosedRange<UInt64>?
  }

  private struct Kind: Hashable, Sendable {
    var quality: PhotoQuality
    var frames: Int
    var mergesBracket: Bool
  }

  /// How many durations the forecast keeps for each kind of photo: enough to show how far they vary, and few enough to
  /// follow when the machine becomes slower or faster.
  private static let kept = 8

  private let frameCount: @Sendable (PhotoQuality) -> Int
  private var durations: [Kind: [UInt64]] = [:]

  /// - Parameter frameCount: returns how many frames a photo with this quality is made of when the ring has enough
  ///   frames.
  init(frameCount: @escaping @Sendable (PhotoQuality) -> Int) { self.frameCount = frameCount }

  /// Estimates how many frames the photo of `request` with `quality` will be made of, and how long making it will take.
  ///
  /// - Parameter limit: the most frames that are merged. A merged bracket has a number of its own.
  func estimate(_ request: PhotoRequest, _ quality: PhotoQuality, limit: Int) -> Estimate {
    let frames = request.exposure.mergesBracket ? request.exposure.bracket.count : min(frameCount(quality), limit)
    let kept = durations[Kind(quality: quality, frames: frames, mergesBracket: request.exposure.mergesBracket)]
    guard let shortest = kept?.min(), let longest = kept?.max() else { return Estimate(frameCount: frames) }
    return Estimate(frameCount: frames, nanoseconds: shortest...longest)
  }

  /// Counts the last photo of a capture.
  mutating func add(_ photo: Photo, of job: PhotoJob) {
    let took = photo.phases.encodeEnd.nanoseconds(since: photo.phases.processBegin)
    add(took, job.request, photo.quality, frames: job.frameCount)
  }

  /// Counts a photo that took `nanoseconds`, and that was to be made of `frames` frames.
  mutating func add(_ nanoseconds: UInt64, _ request: PhotoRequest, _ quality: PhotoQuality, frames: Int) {
    let kind = Kind(quality: quality, frames: frames, mergesBracket: request.exposure.mergesBracket)
    durations[kind, default: []].append(nanoseconds)
    if durations[kind]!.count > Self.kept { durations[kind]!.removeFirst() }
  }
}

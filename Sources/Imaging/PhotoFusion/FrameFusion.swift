internal import CPhotoFusion
public import CaptureCore
public import Imaging

/// Makes one photo of several frames of the same scene: less noise, no ghosts.
///
/// After Hasinoff et al. 2016, "Burst photography for high dynamic range and low-light imaging on mobile cameras": tiles of
/// the other frames are aligned to the reference in a pyramid, then merged into it as far as they differ from it by no
/// more than noise explains. The noise is estimated from the burst itself. What could not be merged, or only little,
/// is denoised within the picture instead.
///
/// Not thread-safe, and works on the thread that calls it: about 0.12 s of one core for eight frames of 1080p, 0.05 for
/// three, and what decoding takes where frames are JPEG. All memory is the pool's: that of the
/// frames, of the photo, and three bytes a pixel more, kept from photo to photo.
public final class FrameFusion {
  /// How much is spent on a photo.
  public enum Strength: Hashable, Sendable, CaseIterable {
    /// The reference and the two frames nearest to it.
    case balanced
    /// Up to eight frames.
    case full

    /// Frames that are merged, at most. More than these may be given; those nearest to the reference count.
    public var frameLimit: Int { self == .balanced ? 3 : 8 }
  }

  private let pool: FramePool
  private var prepared: PreparedFrames
  private var memory: MergeMemory?

  /// - Parameter pool: where prepared frames and finished photos get their memory. A prepared frame of 1080p takes
  ///   4.7 MB; nine are kept while the frames they were made of exist, because photos in a row share frames.
  public init(pool: FramePool) {
    self.pool = pool
    prepared = PreparedFrames(pool: pool, limit: Strength.full.frameLimit + 1)
  }

  /// Lets go of all memory that is kept for the next photo.
  public func releaseMemory() {
    prepared.removeAll()
    memory = nil
  }

  /// Fuses frames, in the order they were taken. A damaged one is left out, unless it is the reference; the count tells.
  ///
  /// - Parameters:
  ///   - frames: of one size and layout, in any format that ``PictureConverter`` reads.
  ///   - reference: index of the frame whose instant the photo shows.
  ///   - shouldStop: asked between frames and every few lines; when it says yes, fusing ends with an error.
  /// - Throws: `invalidArgument` for no frames, a reference that is not among them, or frames that differ in size or
  ///   layout; `formatNotSupported`; `processingFailed` when the reference's bytes are not what its layout says,
  ///   `frameDamaged` when its JPEG is damaged; `outOfBuffers`; `operationInterrupted` when told to stop.
  public func fuse(
    _ frames: [Picture], reference: Int, strength: Strength, shouldStop: () -> Bool = { false }
  ) throws(CaptureError) -> FusedPicture {
    func check() throws(CaptureError) {
      guard !shouldStop() else {
        throw CaptureError(.operationInterrupted, "Fusing the photo was interrupted; take it again.")
      }
    }
    let (pictures, first) = try Self.chosen(frames, reference: reference, limit: strength.frameLimit)
    let (target, others) = try prepare(pictures, reference: first, check: check)
    let ready = [target] + others
    var fields: [MotionField] = []
    for other in others {
      try check()
      fields.append(MotionField(aligning: other, to: target))
    }
    try check()
    let memory = try mergeMemory(target.shape, keeping: ready)
    let merge = Merge(reference: target, others: others, fields: fields, memory: memory)
    let noise = merge.estimateNoise()
    try merge.run(noise: noise, check: check)
    let picture = try makingRoom(keeping: ready) { () throws(CaptureError) in
      try merge.write(noise: noise, like: pictures[first].layout, pool: pool, check: check)
    }
    return FusedPicture(picture: picture, frameCount: merge.frameCount, noise: noise)
  }

  private func mergeMemory(_ shape: Shape, keeping ready: [PreparedFrame]) throws(CaptureError) -> MergeMemory {
    if let memory, memory.shape == shape { return memory }
    // That of another size goes before there is more.
    memory = nil
    let new = try makingRoom(keeping: ready) { () throws(CaptureError) in try MergeMemory(shape, pool: pool) }
    memory = new
    return new
  }

  /// What a photo of another size worked in must not cost the frames of this one.
  private func prepare(
    _ pictures: [Picture], reference: Int, check: () throws(CaptureError) -> Void
  ) throws(CaptureError) -> (reference: PreparedFrame, others: [PreparedFrame]) {
    do throws(CaptureError) {
      return try prepared.prepare(pictures, reference: reference, check: check)
    } catch {
      guard error.reason == .outOfBuffers, memory != nil else { throw error }
      memory = nil
      return try prepared.prepare(pictures, reference: reference, check: check)
    }
  }

  /// Frames of earlier photos must not cost this one either.
  private func makingRoom<R>(keeping ready: [PreparedFrame], _ make: () throws(CaptureError) -> R) throws(CaptureError)
    -> R
  {
    do throws(CaptureError) {
      return try make()
    } catch {
      guard error.reason == .outOfBuffers, prepared.removeAll(but: ready) else { throw error }
      return try make()
    }
  }

  /// The frames nearest to the reference, in order, and where it is among them.
  private static func chosen(_ frames: [Picture], reference: Int, limit: Int)
    throws(CaptureError) -> ([Picture], reference: Int)
  {
    guard frames.indices.contains(reference) else {
      throw CaptureError(
        .invalidArgument, "Frame \(reference) of \(frames.count) cannot be the reference.",
        metadata: ["reference": "\(reference)", "frames": "\(frames.count)"], field: "reference")
    }
    let layout = frames[reference].layout
    for (index, frame) in frames.enumerated() where !frame.layout.isLike(layout) {
      throw CaptureError(
        .invalidArgument,
        "Frame \(index) is \(frame.layout.size) in \(frame.layout.pixelFormat), the reference \(layout.size) in "
          + "\(layout.pixelFormat): only frames of one format can be fused.",
        metadata: [
          "frame": "\(index)", "size": "\(frame.layout.size)", "format": "\(frame.layout.pixelFormat)",
          "reference_size": "\(layout.size)", "reference_format": "\(layout.pixelFormat)",
        ], field: "frames[\(index)]")
    }
    let start = min(max(0, reference - limit / 2), max(0, frames.count - limit))
    return (Array(frames[start..<min(frames.count, start + limit)]), reference - start)
  }
}

extension FrameLayout {
  /// Whether pictures of both show the same scene alike.
  func isLike(_ other: FrameLayout) -> Bool {
    pixelFormat == other.pixelFormat && size == other.size && range == other.range && matrix == other.matrix
      && transfer == other.transfer
  }
}

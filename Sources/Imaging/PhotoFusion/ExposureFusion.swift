internal import CPhotoFusion
public import CaptureCore
public import Imaging

/// Makes one photo of several exposures of the same scene: what is too dark or too bright in one is taken from another.
///
/// After Mertens et al. 2007, "Exposure fusion": each exposure is weighed, pixel by pixel, by contrast, saturation and how far
/// it is from black and white; its Laplacian pyramid is blended by a Gaussian pyramid of those weights, so that no edge
/// between exposures shows. The result is an ordinary picture, without a radiance map or tone curve in between. Nothing is
/// aligned: camera and scene have to stand still.
///
/// Not thread-safe, and works on the thread that calls it: 0.04 s of one core for three exposures of 1080p
/// (`scripts/bench fusion`), and what decoding takes where frames are JPEG. Its memory is the pool's and is let go of at the
/// end: two bytes and a half a pixel for each exposure, eight to blend them in.
public struct ExposureFusion {
  /// Exposures at most.
  public static let limit = Int(CFUSION_EXPOSURES)

  private let pool: FramePool

  /// - Parameter pool: where the photo and all that it is made in get their memory.
  public init(pool: FramePool) { self.pool = pool }

  /// Fuses exposures, in any order. A damaged one is left out, unless it is the reference; the count tells.
  ///
  /// - Parameters:
  ///   - exposures: 1 to ``limit``, of one size and layout, in any format that ``PictureConverter`` reads.
  ///   - reference: index of the exposure without which there is no photo.
  ///   - shouldStop: asked between steps; when it says yes, fusing ends with an error.
  /// - Returns: a picture with their size, range and matrix: `.yuv420`, `.grey` where they have no chroma. And of how many
  ///   exposures it is made; of 1, it is the reference itself.
  /// - Throws: `invalidArgument` for none, too many, a reference that is not among them, or such as differ in size or
  ///   layout; `formatNotSupported`; `processingFailed` when the reference's bytes are not what its layout says,
  ///   `frameDamaged` when its JPEG is damaged; `outOfBuffers`; `operationInterrupted` when told to stop.
  public func fuse(
    _ exposures: [Picture], reference: Int, shouldStop: () -> Bool = { false }
  ) throws(CaptureError) -> (picture: Picture, count: Int) {
    func check() throws(CaptureError) {
      guard !shouldStop() else {
        throw CaptureError(.operationInterrupted, "Merging the bracket was interrupted; take it again.")
      }
    }
    try Self.validate(exposures, reference: reference)
    let converter = PictureConverter(pool: pool)
    var pictures: [Picture] = []
    for (index, exposure) in exposures.enumerated() {
      try check()
      let isYCbCr = exposure.layout.pixelFormat.isYCbCr
      let format: PixelFormat = exposure.layout.pixelFormat == .grey ? .grey : .yuv420
      do throws(CaptureError) {
        pictures.append(try converter.convert(exposure, to: format, range: isYCbCr ? nil : .full))
      } catch {
        guard error.reason == .frameDamaged, index != reference else { throw error }
      }
    }
    guard pictures.count > 1 else { return (exposures[reference], 1) }
    let layout = pictures[0].layout
    let blend = try ExposureBlend(layout.size, count: pictures.count, pool: pool)
    try check()
    blend.weigh(pictures)
    guard
      let target = FrameLayout.packed(
        layout.pixelFormat, layout.size, range: layout.range, matrix: layout.matrix, transfer: layout.transfer),
      let output = pool.take(target.byteCount)
    else { throw .noFusionMemory(layout.byteCount) }
    for plane in layout.planes.indices {
      blend.clear()
      for (index, picture) in pictures.enumerated() {
        try check()
        blend.add(picture, index, plane: plane)
      }
      blend.write(plane, layout: target, to: output.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self))
    }
    return (Picture(layout: target, buffer: output.freeze(count: target.byteCount)), pictures.count)
  }

  private static func validate(_ exposures: [Picture], reference: Int) throws(CaptureError) {
    guard let layout = exposures.first?.layout, exposures.count <= limit else {
      throw CaptureError(
        .invalidArgument, "1 to \(limit) exposures can be merged; \(exposures.count) were given.",
        metadata: ["exposures": "\(exposures.count)", "limit": "\(limit)"], field: "exposures")
    }
    guard exposures.indices.contains(reference) else {
      throw CaptureError(
        .invalidArgument, "Exposure \(reference) of \(exposures.count) cannot be the reference.", field: "reference")
    }
    for (index, exposure) in exposures.enumerated() where !exposure.layout.isLike(layout) {
      throw CaptureError(
        .invalidArgument,
        "Exposure \(index) is \(exposure.layout.size) in \(exposure.layout.pixelFormat), the first \(layout.size) in "
          + "\(layout.pixelFormat): only exposures of one format can be merged.",
        metadata: ["exposure": "\(index)"], field: "exposures[\(index)]")
    }
  }
}

extension CaptureError {
  static func noFusionMemory(_ byteCount: Int) -> CaptureError {
    CaptureError(
      .outOfBuffers, "No \(byteCount) bytes are left in the frame pool.", metadata: ["bytes": "\(byteCount)"])
  }
}

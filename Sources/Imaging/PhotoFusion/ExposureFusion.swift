internal import CPhotoFusion
public import CaptureCore
public import Imaging

/// Makes one photo of several exposures of the same scene. Where one exposure is too dark or too bright, the photo
/// shows another exposure.
///
/// The method is that of Mertens et al. 2007, "Exposure fusion". Each pixel of each exposure gets a weight from its
/// contrast, its saturation and its distance from black and white. The Laplacian pyramids of the exposures are blended
/// with the Gaussian pyramids of these weights, so that no edge between exposures shows. The result is an ordinary
/// picture; the method needs neither a radiance map nor a tone curve. The exposures are not aligned, so camera and
/// scene have to stand still.
///
/// Not thread-safe. The fusion works on the thread that calls it, and takes 0.04 s of one core for three exposures of
/// 1080p (`scripts/bench fusion`), plus the time to decode exposures that are JPEG. The memory comes from the pool and
/// returns to it at the end: two and a half bytes per pixel for each exposure, and eight bytes per pixel for blending.
public struct ExposureFusion {
  /// The largest number of exposures that ``fuse(_:reference:shouldStop:)`` takes.
  public static let limit = Int(CFUSION_EXPOSURES)

  private let pool: FramePool

  /// - Parameter pool: The pool from which the photo and all intermediate results take their memory.
  public init(pool: FramePool) { self.pool = pool }

  /// Fuses exposures, which may be in any order. A damaged exposure other than the reference is left out, which the
  /// returned count shows. Works on the calling thread and takes memory from the pool. Not thread-safe, like the type.
  ///
  /// - Parameters:
  ///   - exposures: 1 to ``limit`` pictures of one size and layout, in any format that ``PictureConverter`` reads.
  ///   - reference: The index of the exposure without which there is no photo.
  ///   - shouldStop: A function that the fusion calls between steps. When it returns true, the fusion ends with an
  ///     error.
  /// - Returns: A picture, and the number of exposures that the picture is made of. With a count of 2 or more, the
  ///   picture is new and has the size, range and matrix of the exposures; its format is `.yuv420`, or `.grey` when the
  ///   exposures have no chroma. With a count of 1, the picture is the reference itself, in the reference's own format.
  /// - Throws: `invalidArgument` when there are no exposures or too many, when `reference` is not an index of one, or
  ///   when exposures differ in size or layout; `formatNotSupported` for a format that cannot be read;
  ///   `processingFailed` when the bytes of an exposure do not match its layout; `frameDamaged` when the JPEG of the
  ///   reference is damaged; `outOfBuffers` when the pool has too little memory left; `operationInterrupted` when
  ///   `shouldStop` returns true.
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
      let format: PixelFormat = exposure.layout.pixelFormat.isGrey ? .grey : .yuv420
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
      .outOfBuffers, "The frame pool has no \(byteCount) bytes left.", metadata: ["bytes": "\(byteCount)"])
  }
}

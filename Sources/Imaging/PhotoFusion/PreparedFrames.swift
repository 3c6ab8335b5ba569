internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// A cache of prepared frames, which are found by the pictures that they were made of. Consecutive photos have bursts
/// that share frames.
///
/// The memory of prepared frames comes from the pool. The cache releases a prepared frame when the picture that it was
/// made of is gone, when the cache holds too many, or when the pool is used up. The least recently used frame goes
/// first.
struct PreparedFrames {
  private let pool: FramePool
  private let limit: Int
  private var converter: PictureConverter
  /// The prepared frames, from the least to the most recently used.
  private var frames: [PreparedFrame] = []

  init(pool: FramePool, limit: Int) {
    self.pool = pool
    self.limit = limit
    converter = PictureConverter(pool: pool)
  }

  /// Prepares `pictures`, of which there must be at most `limit`. Damaged pictures other than the reference are left
  /// out.
  ///
  /// - Parameters:
  ///   - reference: The index of the reference in `pictures`.
  ///   - check: A function that throws when the fusion has to stop; it is called before each new frame is prepared.
  /// - Throws: The errors of ``PreparedFrame`` and of `check`.
  mutating func prepare(
    _ pictures: [Picture], reference: Int, check: () throws(CaptureError) -> Void
  ) throws(CaptureError) -> (reference: PreparedFrame, others: [PreparedFrame]) {
    frames.removeAll { $0.isStale }
    // The wanted frames become the most recently used ones before any new frame is prepared, so that the cache does not
    // release one of them to make room.
    let wanted = frames.filter { frame in pictures.contains { frame.isMade(of: $0) } }
    frames.removeAll { frame in wanted.contains { $0 === frame } }
    frames += wanted
    var made = 0
    func prepared(_ picture: Picture) throws(CaptureError) -> PreparedFrame {
      if let known = frames.first(where: { $0.isMade(of: picture) }) { return known }
      try check()
      let frame = try make(picture, keeping: wanted.count + made)
      made += 1
      frames.append(frame)
      return frame
    }
    // The reference comes first, because without it there is no photo and preparing the others is useless.
    let first = try prepared(pictures[reference])
    var others: [PreparedFrame] = []
    for (index, picture) in pictures.enumerated() where index != reference {
      do throws(CaptureError) { others.append(try prepared(picture)) } catch {
        guard error.reason == .frameDamaged else { throw error }
      }
    }
    return (first, others)
  }

  /// Releases all prepared frames except `wanted`.
  ///
  /// - Returns: Whether the cache held other frames.
  mutating func removeAll(but wanted: [PreparedFrame]) -> Bool {
    let before = frames.count
    frames.removeAll { frame in !wanted.contains { $0 === frame } }
    return frames.count < before
  }

  /// Releases all prepared frames, and the scratch memory of the converter.
  mutating func removeAll() {
    frames = []
    // The scratch memory that a converter keeps for the next picture is as large as a picture.
    converter = PictureConverter(pool: pool)
  }

  private mutating func make(_ picture: Picture, keeping count: Int) throws(CaptureError) -> PreparedFrame {
    while frames.count >= limit { frames.removeFirst() }
    while true {
      do {
        return try PreparedFrame(picture, pool: pool, converter: converter)
      } catch {
        guard error.reason == .outOfBuffers, frames.count > count else { throw error }
        frames.removeFirst()
      }
    }
  }
}

/// A frame that is ready for merging: its planes with a border, and a pyramid of its luma. Immutable after the
/// initialiser.
///
/// Because of the border, no loop has to check whether a sample still lies within the picture.
final class PreparedFrame {
  let shape: Shape
  private let memory: FrameBuffer
  /// The buffer of the picture that this frame was made of. The reference is weak, so that the camera gets its memory
  /// back.
  private weak var source: FrameBuffer?
  private let sourceLayout: FrameLayout

  /// Prepares `picture`.
  ///
  /// - Throws: `formatNotSupported` for a format that cannot be read, `processingFailed` when the picture's bytes do
  ///   not match its layout, `frameDamaged` when its JPEG is damaged, `outOfBuffers` when memory is used up.
  init(_ picture: Picture, pool: FramePool, converter: PictureConverter) throws(CaptureError) {
    source = picture.buffer
    sourceLayout = picture.layout
    // The conversion comes first, because the converter refuses impossible sizes.
    let planar = try converter.convert(
      picture, to: Shape.pixelFormat(of: picture.layout), range: picture.layout.pixelFormat.isYCbCr ? nil : .full)
    let shape = Shape(picture.layout)
    self.shape = shape
    guard let target = pool.take(shape.byteCount) else {
      throw CaptureError(
        .outOfBuffers, "The frame pool has no \(shape.byteCount) bytes left.",
        metadata: ["bytes": "\(shape.byteCount)"])
    }
    let base = target.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    planar.buffer.withUnsafeBytes { bytes in
      let start = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      for (plane, place) in zip(planar.layout.planes, shape.planes) {
        cfusion_copy(
          start + plane.offset, plane.stride, Int32(place.size.width), Int32(place.size.height), base + place.origin,
          place.stride, Int32(place.border.width), Int32(place.border.height))
      }
    }
    var above = shape.planes[0].plane(base)
    for level in shape.levels {
      cfusion_halve(above, base + level.origin, level.stride)
      above = level.plane(base)
    }
    memory = target.freeze(count: shape.byteCount)
  }

  /// Whether this frame was made of `picture`.
  func isMade(of picture: Picture) -> Bool { source === picture.buffer && sourceLayout == picture.layout }

  /// Whether the picture that this copy was made of is gone, so that no photo can ask for the copy again.
  var isStale: Bool { source == nil }

  /// The planes of luma and, when the frame has chroma, of chroma. They are valid for as long as this object exists.
  var planes: cfusion_frame {
    let planes = shape.planes.map { $0.plane(base) }
    let none = cfusion_plane()
    return cfusion_frame(
      luma: planes[0], u: planes.count > 1 ? planes[1] : none, v: planes.count > 1 ? planes[2] : none)
  }

  /// The levels of the luma pyramid below full size, the largest level first.
  var levels: [cfusion_plane] { shape.levels.map { $0.plane(base) } }

  private var base: UnsafePointer<UInt8> {
    memory.withUnsafeBytes { $0.baseAddress!.assumingMemoryBound(to: UInt8.self) }
  }
}

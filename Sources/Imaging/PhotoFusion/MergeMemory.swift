internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// The memory of one merge: the sums that the other frames add to the reference, and how many frames were merged at
/// each place.
///
/// This memory is as large as the pictures, so it is kept from photo to photo of the same size. It comes from the pool.
final class MergeMemory {
  let shape: Shape
  private let memory: WritableFrameBuffer
  private let sums: UnsafeMutableRawBufferPointer
  private let places: [(origin: Int, stride: Int)]
  let weights: UnsafeMutableBufferPointer<Float>
  let weightsStride: Int
  let rows: Int
  let columns: Int

  /// Takes the memory for frames of `shape`.
  ///
  /// - Throws: `outOfBuffers` when the pool is used up.
  init(_ shape: Shape, pool: FramePool) throws(CaptureError) {
    self.shape = shape
    let field = MotionField(merging: shape.size)
    let (rows, columns) = (field.rows, field.columns)
    (self.rows, self.columns) = (rows, columns)
    weightsStride = 3 * columns + 1
    var end = 0
    places = shape.planes.map { place in
      // Tiles in a chroma plane are smaller than tiles in luma by the same factors as the plane.
      let across = place.size.width == shape.size.width ? 1 : 2
      let down = place.size.height == shape.size.height ? 1 : 2
      let (width, height) = ((24 * columns + 8) / across, (24 * rows + 8) / down)
      let stride = (width + 31) & ~31
      defer { end += stride * height }
      return (end + 8 / down * stride + 8 / across, stride)
    }
    // The strides of the sums are whole vectors. The weights come after the sums, because they need no alignment to
    // vectors.
    let (sumBytes, weightCount) = (2 * end, weightsStride * (3 * rows + 1))
    let byteCount = sumBytes + weightCount * MemoryLayout<Float>.stride
    guard let memory = pool.take(byteCount) else {
      throw CaptureError(
        .outOfBuffers, "The frame pool has no \(byteCount) bytes left.", metadata: ["bytes": "\(byteCount)"])
    }
    sums = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<sumBytes])
    weights = UnsafeMutableRawBufferPointer(
      rebasing: memory.bytes[sumBytes..<byteCount]
    ).bindMemory(to: Float.self)
    self.memory = memory
  }

  /// Sets the sums and the weights to zero.
  func clear() {
    sums.initializeMemory(as: UInt8.self, repeating: 0)
    weights.initialize(repeating: 0)
  }

  /// The sum for the plane with index `plane`, valid for as long as this object exists; an empty sum without an origin
  /// when there is no such plane.
  func sum(_ plane: Int) -> cfusion_sum {
    guard plane < places.count else { return cfusion_sum() }
    let base = sums.baseAddress!.assumingMemoryBound(to: Int16.self)
    return cfusion_sum(origin: base + places[plane].origin, stride: places[plane].stride)
  }
}

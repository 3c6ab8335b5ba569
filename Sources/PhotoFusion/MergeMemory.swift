internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// The memory of one merge: what the other frames add to the reference, and how much of them there is where.
///
/// Kept from photo to photo of one size: it is as large as the pictures.
final class MergeMemory {
  let shape: Shape
  private let sums: UnsafeMutableRawBufferPointer
  private let places: [(origin: Int, stride: Int)]
  let weights: UnsafeMutableBufferPointer<Float>
  let weightsStride: Int
  let rows: Int
  let columns: Int

  init(_ shape: Shape) {
    self.shape = shape
    let field = MotionField(merging: shape.size)
    let (rows, columns) = (field.rows, field.columns)
    (self.rows, self.columns) = (rows, columns)
    weightsStride = 3 * columns + 1
    weights = .allocate(capacity: weightsStride * (3 * rows + 1))
    var end = 0
    places = shape.planes.map { place in
      // Tiles of a plane are as much smaller as the plane is.
      let across = place.size.width == shape.size.width ? 1 : 2
      let down = place.size.height == shape.size.height ? 1 : 2
      let (width, height) = ((24 * columns + 8) / across, (24 * rows + 8) / down)
      let stride = (width + 31) & ~31
      defer { end += stride * height }
      return (end + 8 / down * stride + 8 / across, stride)
    }
    sums = .allocate(byteCount: 2 * end, alignment: 64)
  }

  deinit {
    sums.deallocate()
    weights.deallocate()
  }

  func clear() {
    sums.initializeMemory(as: UInt8.self, repeating: 0)
    weights.initialize(repeating: 0)
  }

  func sum(_ plane: Int) -> cfusion_sum {
    guard plane < places.count else { return cfusion_sum() }
    let base = sums.baseAddress!.assumingMemoryBound(to: Int16.self)
    return cfusion_sum(origin: base + places[plane].origin, stride: places[plane].stride)
  }
}

internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// The pyramids in which exposures are blended, one plane after the other. Their memory comes from the pool.
final class ExposureBlend {
  private let size: Size
  /// The levels of the three pyramids, the largest level first: the samples of one exposure, the weights of that
  /// exposure, and the sums over all exposures.
  private let samples, shares, sums: [cfusion_level]
  /// The weights of each exposure, one byte for each sample of luma.
  private let weights: [UnsafeMutablePointer<UInt8>]
  private let memory: WritableFrameBuffer
  private let sumBytes: UnsafeMutableRawBufferPointer

  /// Takes the memory to blend `count` exposures of `size`.
  ///
  /// - Throws: `outOfBuffers` when the pool is used up.
  init(_ size: Size, count: Int, pool: FramePool) throws(CaptureError) {
    self.size = size
    let levels = Self.sizes(size)
    let pyramid = levels.reduce(0) { $0 + Self.stride($1) * $1.height }
    let byteCount = 3 * pyramid * MemoryLayout<Int16>.stride + count * size.pixelCount
    guard let memory = pool.take(byteCount) else { throw .noFusionMemory(byteCount) }
    let bytes = memory.bytes
    self.memory = memory
    let base = bytes.baseAddress!
    func place(_ index: Int) -> [cfusion_level] {
      var next = (base + index * pyramid * MemoryLayout<Int16>.stride).assumingMemoryBound(to: Int16.self)
      return levels.map { level in
        defer { next += Self.stride(level) * level.height }
        return cfusion_level(
          samples: next, stride: Self.stride(level), width: Int32(level.width), height: Int32(level.height))
      }
    }
    (samples, shares, sums) = (place(0), place(1), place(2))
    let (first, end) = (2 * pyramid * MemoryLayout<Int16>.stride, 3 * pyramid * MemoryLayout<Int16>.stride)
    sumBytes = UnsafeMutableRawBufferPointer(rebasing: bytes[first..<end])
    weights = (0..<count).map { (base + end + $0 * size.pixelCount).assumingMemoryBound(to: UInt8.self) }
  }

  /// Computes the weights of all exposures, which add up to 255 at each sample of luma.
  func weigh(_ pictures: [Picture]) {
    let exposures = pictures.enumerated().map { index, picture in
      let planes = picture.layout.planes
      let start = picture.start
      return cfusion_exposure(
        luma: start + planes[0].offset, u: planes.count > 1 ? start + planes[1].offset : nil,
        v: planes.count > 1 ? start + planes[2].offset : nil, luma_stride: planes[0].stride,
        chroma_stride: planes.count > 1 ? planes[1].stride : 0, weights: weights[index], weights_stride: size.width)
    }
    cfusion_weigh(
      exposures, Int32(exposures.count), pictures[0].layout.range == .full ? 1 : 0, Int32(size.width),
      Int32(size.height), 0, Int32(size.height))
  }

  /// Sets the sums to zero, so that the next plane can begin.
  func clear() { sumBytes.initializeMemory(as: UInt8.self, repeating: 0) }

  /// Adds one plane of one exposure to the sums.
  ///
  /// - Parameter index: The index of the exposure, which selects its weights.
  func add(_ picture: Picture, _ index: Int, plane: Int) {
    let top = Self.top(plane)
    let place = picture.layout.planes[plane]
    cfusion_read_weights(weights[index], size.width, shares[0], 0, shares[0].height)
    cfusion_read_samples(picture.start + place.offset, place.stride, samples[top], 0, samples[top].height)
    for level in 1..<shares.count {
      cfusion_reduce(shares[level - 1], shares[level], 0, shares[level].height)
      if level > top { cfusion_reduce(samples[level - 1], samples[level], 0, samples[level].height) }
    }
    for level in top..<samples.count {
      let isLast = level == samples.count - 1
      withUnsafePointer(to: samples[isLast ? level : level + 1]) {
        cfusion_blend(samples[level], isLast ? nil : $0, shares[level], sums[level], 0, sums[level].height)
      }
    }
  }

  /// Writes the plane of the photo that the sums hold, after every exposure was added.
  ///
  /// - Parameters:
  ///   - layout: The layout of the photo.
  ///   - target: The start of the photo's memory.
  func write(_ plane: Int, layout: FrameLayout, to target: UnsafeMutablePointer<UInt8>) {
    let top = Self.top(plane)
    for level in (top..<sums.count - 1).reversed() {
      cfusion_expand(sums[level + 1], sums[level], 0, sums[level].height)
    }
    let (low, high): (UInt8, UInt8) = layout.range == .full ? (0, 255) : (16, plane == 0 ? 235 : 240)
    let place = layout.planes[plane]
    cfusion_write_samples(sums[top], low, high, target + place.offset, place.stride, 0, sums[top].height)
  }

  /// The index of the level that has the size of `plane`: chroma has half the size of luma.
  private static func top(_ plane: Int) -> Int { plane == 0 ? 0 : 1 }

  /// The sizes of the levels, each half of the one before. The last level is one sample wide or high. There are at
  /// least two levels, because chroma begins at the second.
  private static func sizes(_ size: Size) -> [Size] {
    var sizes = [size]
    while let last = sizes.last, sizes.count < 2 || min(last.width, last.height) > 1 {
      sizes.append(Size(width: (last.width + 1) / 2, height: (last.height + 1) / 2))
    }
    return sizes
  }

  /// The number of samples from line to line, rounded up to whole vectors of 16.
  private static func stride(_ size: Size) -> Int { (size.width + 15) & ~15 }
}

extension Picture {
  /// The start of the picture's bytes, valid for as long as the picture exists.
  fileprivate var start: UnsafePointer<UInt8> {
    buffer.withUnsafeBytes { $0.baseAddress!.assumingMemoryBound(to: UInt8.self) }
  }
}

internal import CPhotoFusion
internal import CaptureCore
internal import Imaging

/// The merge of one photo, from aligned frames to pixels.
final class Merge {
  private let reference: PreparedFrame
  private let others: [PreparedFrame]
  private let fields: [MotionField]
  private let memory: MergeMemory
  /// How much of each other frame was merged, in tiles.
  private var used: [Float]

  init(reference: PreparedFrame, others: [PreparedFrame], fields: [MotionField], memory: MergeMemory) {
    (self.reference, self.others, self.fields, self.memory) = (reference, others, fields, memory)
    used = Array(repeating: 0, count: others.count)
  }

  /// The number of frames of which at least a tenth was merged, the reference included.
  var frameCount: Int {
    let tiles = Float(memory.rows * memory.columns)
    return 1 + used.count { $0 >= tiles / 10 }
  }

  /// Estimates the noise of one frame from the differences between frames and from the reference alone.
  func estimateNoise() -> NoiseModel {
    var within = NoiseHistogram()
    let planes = reference.planes
    within.observe { cfusion_observe_alone(planes.luma, planes.u, $0) }
    guard !others.isEmpty else { return NoiseEstimate.model(between: nil, within: within) }
    var between = NoiseHistogram()
    // Every second tile in both directions, compared with up to three other frames, gives some ten thousand squares of
    // a 1080p burst.
    withBurst(limit: 3) { burst in
      for row in stride(from: memory.rows > 3 ? 1 : 0, to: memory.rows, by: 2) {
        between.observe { cfusion_observe(&burst, Int32(row), 2, $0) }
      }
    }
    return NoiseEstimate.model(between: between, within: within)
  }

  /// Merges the other frames into the sums of `memory`.
  ///
  /// - Parameter check: A function that throws when the fusion has to stop; it is called every four rows of tiles.
  /// - Throws: The error of `check`.
  func run(noise: NoiseModel, check: () throws(CaptureError) -> Void) throws(CaptureError) {
    memory.clear()
    guard !others.isEmpty else { return }
    let model = cfusion_noise(read: Float(noise.read), shot: Float(noise.shot), chroma: Float(noise.chroma))
    for row in 0..<memory.rows {
      if row % 4 == 0 { try check() }
      used.withUnsafeMutableBufferPointer { used in
        var merged = cfusion_merged(
          luma: memory.sum(0), u: memory.sum(1), v: memory.sum(2), weights: memory.weights.baseAddress!,
          weights_stride: memory.weightsStride, used: used.baseAddress!)
        withBurst { cfusion_merge(&$0, model, Int32(row), &merged) }
      }
    }
  }

  /// Writes the photo from the reference and the merged sums, and denoises it.
  ///
  /// - Parameters:
  ///   - layout: The layout of a frame, whose range and matrix the photo takes. Frames that are not YCbCr give a photo
  ///     in full-range BT.601.
  ///   - check: A function that throws when the fusion has to stop; it is called every 128 lines.
  /// - Throws: `outOfBuffers` when the pool is used up, and the error of `check`.
  func write(
    noise: NoiseModel, like layout: FrameLayout, pool: FramePool, check: () throws(CaptureError) -> Void
  ) throws(CaptureError) -> Picture {
    let shape = reference.shape
    let range = layout.pixelFormat.isYCbCr ? layout.range : .full
    let matrix = layout.pixelFormat.isYCbCr ? layout.matrix : .bt601
    guard
      let target = FrameLayout.packed(
        shape.pixelFormat, shape.size, range: range, matrix: matrix, transfer: layout.transfer),
      let output = pool.take(target.byteCount)
    else {
      throw CaptureError(
        .outOfBuffers, "No memory is left in the frame pool for a photo of \(shape.size).",
        metadata: ["size": "\(shape.size)"])
    }
    let base = output.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    let planes = reference.planes
    for (index, plane) in [planes.luma, planes.u, planes.v].prefix(target.planes.count).enumerated() {
      let place = target.planes[index]
      try write(index, plane, noise: noise, to: base + place.offset, stride: place.stride, check: check)
    }
    return Picture(layout: target, buffer: output.freeze(count: target.byteCount))
  }

  private func write(
    _ index: Int, _ plane: cfusion_plane, noise: NoiseModel, to target: UnsafeMutablePointer<UInt8>, stride: Int,
    check: () throws(CaptureError) -> Void
  ) throws(CaptureError) {
    let isLuma = index == 0
    let luma = reference.planes.luma
    let (columns, lines) = (plane.width == luma.width ? 1 : 2, plane.height == luma.height ? 1 : 2) as (Int32, Int32)
    let block = Int32(CFUSION_BLOCK)
    var response = cfusion_response()
    cfusion_measure_response(fields.map(\.field), Int32(fields.count), columns, lines, &response)
    for first in Swift.stride(from: 0, to: plane.height, by: 128) {
      try check()
      withUnsafePointer(to: response) { response in
        var task = cfusion_shrink(
          reference: plane, sum: memory.sum(index), weights: memory.weights.baseAddress!,
          weights_stride: memory.weightsStride, block_width: isLuma ? block : block / 2, block_height: block / lines,
          read: Float(isLuma ? noise.read : noise.chroma), shot: Float(isLuma ? noise.shot : 0),
          threshold: Self.threshold, response: response, target: target, target_stride: stride)
        cfusion_write(&task, first, min(first + 128, plane.height))
      }
    }
  }

  /// The limit between noise and detail, in standard deviations of the noise. The value was found on photographs with
  /// noise of 2.5 to 10 levels: a lower value leaves noise in flat parts, and a higher value removes texture.
  private static let threshold: Float = 2

  private func withBurst(limit: Int = .max, _ body: (inout cfusion_burst) -> Void) {
    let frames = others.map(\.planes)
    let vectors = fields.map(\.field)
    frames.withUnsafeBufferPointer { frames in
      vectors.withUnsafeBufferPointer { vectors in
        var burst = cfusion_burst(
          reference: reference.planes, others: frames.baseAddress!, fields: vectors.baseAddress!,
          count: Int32(min(limit, frames.count)), halves_lines: reference.shape.pixelFormat == .yuv420 ? 1 : 0)
        body(&burst)
      }
    }
  }
}

internal import CYUV
internal import CaptureCore

/// Rotates and mirrors planes in one pass over the samples. Thread-bound: each call invalidates the planes of the call
/// before.
final class Turner {
  private let turned = ScratchMemory()
  private let scaled = ScratchMemory()
  private let neutral = ScratchMemory()

  /// Scales `planes`, then turns them.
  ///
  /// - Parameters:
  ///   - size: The size of the result, after turning.
  ///   - chroma: The size of each chroma plane of the result, after turning.
  func turn(_ planes: Planes, _ orientation: Orientation, to size: Size, chroma: Size) -> Planes {
    var result = turned.planes(size, chroma: chroma, range: planes.range, matrix: planes.matrix)
    turn(planes.y, planes.yStride, planes.size, result.y, result.yStride, size, orientation)
    if planes.isGrey {
      result.showNeutralChroma(in: neutral)
    } else {
      turn(planes.u, planes.uStride, planes.chroma, result.u, result.uStride, chroma, orientation)
      turn(planes.v, planes.vStride, planes.chroma, result.v, result.vStride, chroma, orientation)
    }
    return result
  }

  private func turn(
    _ source: UnsafePointer<UInt8>, _ sourceStride: Int, _ size: Size,
    _ target: UnsafeMutablePointer<UInt8>, _ targetStride: Int, _ targetSize: Size, _ orientation: Orientation
  ) {
    let before = orientation.turned(targetSize)
    var (source, sourceStride) = (source, sourceStride)
    if size != before {
      let copy = scaled.reserve(before.pixelCount)
      Planes.scalePlane(source, sourceStride, size, copy, before.width, before)
      (source, sourceStride) = (UnsafePointer(copy), before.width)
    }
    let step = Step(orientation)
    RotatePlane(
      source, Int32(sourceStride), target, Int32(targetStride), Int32(before.width),
      Int32(step.isFlipped ? -before.height : before.height), step.mode)
  }

  /// Turns packed pixels of four bytes each, without scaling.
  ///
  /// - Parameter size: The size of the source.
  static func turnPixels(
    _ source: UnsafePointer<UInt8>, _ sourceStride: Int, _ size: Size,
    _ target: UnsafeMutablePointer<UInt8>, _ targetStride: Int, _ orientation: Orientation
  ) {
    let step = Step(orientation)
    ARGBRotate(
      source, Int32(sourceStride), target, Int32(targetStride), Int32(size.width),
      Int32(step.isFlipped ? -size.height : size.height), step.mode)
  }

  /// Turns the samples of 16 bits of a picture, without scaling and without changing any value.
  ///
  /// - Parameters:
  ///   - source: The start of the picture's memory.
  ///   - target: The start of the memory in which the result lies as `layout` says.
  func turnWideSamples(
    _ from: FrameLayout, _ source: UnsafePointer<UInt8>, into layout: FrameLayout,
    _ target: UnsafeMutablePointer<UInt8>, _ orientation: Orientation
  ) {
    let step = Step(orientation)
    let after = layout.planes[0]
    var (samples, stride) = (source + from.planes[0].offset, from.planes[0].stride)
    // libyuv counts strides in samples, so each line has to begin at a whole sample.
    if stride % 2 != 0 {
      let lineBytes = 2 * from.size.width
      let copy = scaled.reserve(lineBytes * from.size.height)
      CopyPlane(samples, Int32(stride), copy, Int32(lineBytes), Int32(lineBytes), Int32(from.size.height))
      (samples, stride) = (UnsafePointer(copy), lineBytes)
    }
    _ = RotatePlane_16(
      UnsafeRawPointer(samples).assumingMemoryBound(to: UInt16.self), Int32(stride / 2),
      UnsafeMutableRawPointer(target + after.offset).assumingMemoryBound(to: UInt16.self), Int32(after.stride / 2),
      Int32(from.size.width), Int32(step.isFlipped ? -from.size.height : from.size.height), step.mode)
  }

  /// An orientation as the arguments of one libyuv call.
  ///
  /// libyuv takes a negative height as the instruction to turn the source upside down before rotating. Rotating by r
  /// and then mirroring has the same result as turning upside down and then rotating by 180° − r.
  private struct Step {
    let mode: RotationMode
    let isFlipped: Bool

    init(_ orientation: Orientation) {
      let angle = orientation.rotation.rawValue
      isFlipped = orientation.isMirrored
      mode = RotationMode(UInt32(isFlipped ? (540 - angle) % 360 : angle))
    }
  }
}

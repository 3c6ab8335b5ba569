internal import CYUV
internal import CaptureCore
internal import Foundation

/// Maps pictures with more light, colours or bits than a screen has to 8-bit limited-range BT.709, which screens can
/// show.
///
/// The mapper takes a screen's white as the 203 cd/m² of ITU-R BT.2408. Light up to half of that white is shown
/// exactly, and light above is compressed smoothly, so that even 10,000 cd/m² is not cut off. Thread-bound: each call
/// invalidates the planes of the call before.
final class ToneMapper {
  private let unpacker = Unpacker()
  private let mapped = ScratchMemory()

  /// Maps a validated picture to 4:2:0 planes in scratch memory.
  ///
  /// - Parameter base: The start of the picture's memory.
  func planes(_ layout: FrameLayout, _ base: UnsafePointer<UInt8>) -> Planes {
    let size = layout.size
    let result = mapped.planes(size, chroma: size.chroma420, range: .limited, matrix: .bt709)
    if layout.pixelFormat == .p010 {
      let (luma, chroma) = (layout.planes[0], layout.planes[1])
      map(layout.range, layout.matrix, layout, into: result) { line, next in
        let pairs = base + chroma.offset + line / 2 * chroma.stride
        let first = base + luma.offset
        return cyuv_tone_lines(
          first: first + line * luma.stride, second: first + next * luma.stride, u: pairs, v: pairs + 2,
          chroma_step: 2, is_wide: 1)
      }
    } else {
      let source = unpacker.planes(layout, base, rows: 0..<size.height, rgbRange: .full)
      map(source.range, source.matrix, layout, into: result) { line, next in
        cyuv_tone_lines(
          first: source.y + line * source.yStride, second: source.y + next * source.yStride,
          u: source.u + line / 2 * source.uStride, v: source.v + line / 2 * source.vStride,
          chroma_step: 1, is_wide: 0)
      }
    }
    return result
  }

  private func map(
    _ range: FrameLayout.Range, _ matrix: FrameLayout.Matrix, _ layout: FrameLayout, into result: Planes,
    _ lines: (_ line: Int, _ next: Int) -> cyuv_tone_lines
  ) {
    let curve = layout.transfer == .pq ? ToneCurve.pq : .standard
    curve.withTables { light, gain, code in
      var tones = cyuv_tones(
        range, matrix, bits: layout.pixelFormat == .p010 ? 10 : 8, isWide: layout.matrix == .bt2020, light, gain, code)
      for line in stride(from: 0, to: layout.size.height, by: 2) {
        let next = min(line + 1, layout.size.height - 1)
        var source = lines(line, next)
        cyuv_map_tones(
          &tones, &source, result.y + line * result.yStride, result.y + next * result.yStride,
          result.u + line / 2 * result.uStride, result.v + line / 2 * result.vStride, layout.size.width)
      }
    }
  }
}

extension cyuv_tones {
  /// - Parameter isWide: Whether the colour primaries are those of BT.2020.
  fileprivate init(
    _ range: FrameLayout.Range, _ matrix: FrameLayout.Matrix, bits: Int, isWide: Bool, _ light: UnsafePointer<Float>,
    _ gain: UnsafePointer<Float>, _ code: UnsafePointer<Float>
  ) {
    let step = Double(1 << (bits - 8))
    let most = Double(1 << bits - 1)
    let (red, blue) = matrix.weights
    let green = 1 - red - blue
    let chroma = range == .full ? 1 / most : 1 / (224 * step)
    self.init(
      luma_offset: range == .full ? 0 : Float(16 * step),
      luma_gain: Float(range == .full ? 1 / most : 1 / (219 * step)),
      chroma_offset: Float(128 * step),
      red_from_v: Float(2 * (1 - red) * chroma),
      green_from_u: Float(-2 * (1 - blue) * blue / green * chroma),
      green_from_v: Float(-2 * (1 - red) * red / green * chroma),
      blue_from_u: Float(2 * (1 - blue) * chroma),
      primaries: isWide ? Self.fromBT2020 : (1, 0, 0, 0, 1, 0, 0, 0, 1),
      light: light, gain: gain, code: code)
  }

  /// The matrix from the primaries of BT.2020 to those of BT.709, row by row (ITU-R BT.2087).
  private static let fromBT2020: (Float, Float, Float, Float, Float, Float, Float, Float, Float) =
    (1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187)
}

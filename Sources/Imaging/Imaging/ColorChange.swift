internal import CYUV
internal import CaptureCore

extension cyuv_colors {
  /// A matrix and a range, which together say what the values of luma and chroma mean.
  typealias Meaning = (matrix: FrameLayout.Matrix, range: FrameLayout.Range)

  /// The factors that convert luma and chroma of one matrix and range to another, in units of 1/16384.
  ///
  /// The factors follow from the weights of red and blue in the standards. With Y, Cb and Cr of the source matrix: R =
  /// Y + 2(1−Kr)Cr, B = Y + 2(1−Kb)Cb, and G follows from Y = Kr R + Kg G + Kb B. Inserting these into the equations of
  /// the target matrix leaves luma with a factor of 1, and chroma that does not depend on luma. Limited range has 219
  /// steps of luma and 224 of chroma, and full range has 255 of both.
  init(from source: Meaning, to target: Meaning) {
    let (kr, kb) = source.matrix.weights
    let kg = 1 - kr - kb
    let (redFromCr, blueFromCb) = (2 * (1 - kr), 2 * (1 - kb))
    let (greenFromCb, greenFromCr) = (-kb * blueFromCb / kg, -kr * redFromCr / kg)
    let (tr, tb) = target.matrix.weights
    let tg = 1 - tr - tb
    let lumaFromCb = tg * greenFromCb + tb * blueFromCb
    let lumaFromCr = tr * redFromCr + tg * greenFromCr
    let (lumaSteps, chromaSteps) = (target.range.lumaSteps, target.range.chromaSteps)
    let luma = lumaSteps / source.range.lumaSteps
    let (lumaOfChroma, chroma) = (lumaSteps / source.range.chromaSteps, chromaSteps / source.range.chromaSteps)
    func fixed(_ value: Double) -> Int32 { Int32((value * 16384).rounded()) }
    self.init(
      y_base: target.range == .full ? 0 : 16, y_offset: source.range == .full ? 0 : 16, y_gain: fixed(luma),
      y_from_u: fixed(lumaFromCb * lumaOfChroma), y_from_v: fixed(lumaFromCr * lumaOfChroma),
      u_from_u: fixed((blueFromCb - lumaFromCb) / (2 * (1 - tb)) * chroma),
      u_from_v: fixed(-lumaFromCr / (2 * (1 - tb)) * chroma),
      v_from_u: fixed(-lumaFromCb / (2 * (1 - tr)) * chroma),
      v_from_v: fixed((redFromCr - lumaFromCr) / (2 * (1 - tr)) * chroma))
  }
}

extension FrameLayout.Range {
  fileprivate var lumaSteps: Double { self == .full ? 255 : 219 }
  fileprivate var chromaSteps: Double { self == .full ? 255 : 224 }
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

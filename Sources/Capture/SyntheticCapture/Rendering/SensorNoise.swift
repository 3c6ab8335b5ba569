/// The noise of a sensor: shot noise, whose variance grows with the light, and read noise, which does not depend on the
/// light.
///
/// One table of Gaussian values serves every pixel: each line of each frame starts at another place of the table.
/// Making a Gaussian value for each pixel would take 46 ms for a 4K frame.
struct SensorNoise {
  private let seed: UInt64
  private let lumaDeviations: [UInt8]
  private let chromaDeviation: UInt8

  /// - Parameter level: the standard deviation at Y 126, in code values, above 0. A level above 10 counts as 10,
  ///   because more does not fit the arithmetic.
  init(level: Double, seed: UInt64) {
    let level = min(level, 10)
    self.seed = seed
    lumaDeviations = (0..<256).map { Self.fixedPoint(Self.variance(ofLuma: $0, level: level).squareRoot()) }
    chromaDeviation = Self.fixedPoint(level / 2)
  }

  /// The variance of luma noise in squared code values, before the noise is rounded to whole values. Rounding adds
  /// 1/12.
  static func variance(ofLuma y: Int, level: Double) -> Double {
    let light = Double(max(0, y - 16)) / 110
    return level * level * (0.2 + 0.8 * light)
  }

  /// The deviation of the noise in each component of a colour, in sixteenths of a code value.
  func deviation(of color: YCbCr) -> YCbCr { YCbCr(lumaDeviations[Int(color.y)], chromaDeviation, chromaDeviation) }

  /// Writes `count` bytes of `picture` with noise to `output`.
  ///
  /// - Parameters:
  ///   - deviation: the deviation of the noise for each byte, in sixteenths of a code value.
  ///   - line: the number of the line among the lines of all planes, so that no two lines of a frame carry the same
  ///     noise.
  func add(
    to picture: UnsafePointer<UInt8>, deviation: UnsafePointer<UInt8>, count: Int, sequence: UInt64, line: Int,
    output: UnsafeMutablePointer<UInt8>
  ) {
    let start = SplitMix64.hash(SplitMix64.hash(seed ^ sequence) ^ UInt64(line)) % UInt64(GaussianTable.period)
    let table = GaussianTable.shared.values + Int(start)
    var i = 0
    // A plain loop over concrete types: the optimiser turns the loop into vector code, and a debug build stays fast
    // enough to use.
    while i < count {
      let scaled = (Int16(table[i]) &* Int16(deviation[i]) &+ 256) &>> 9
      let value = Int16(picture[i]) &+ scaled
      output[i] = UInt8(truncatingIfNeeded: value < 0 ? 0 : value > 255 ? 255 : value)
      i &+= 1
    }
  }

  private static func fixedPoint(_ deviation: Double) -> UInt8 { UInt8(min(255, (deviation * 16).rounded())) }
}

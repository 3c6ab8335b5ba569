/// Sensor noise: shot noise, whose variance grows with the light, and read noise, which is always there.
///
/// One table of Gaussian values serves every pixel: each line of each frame starts somewhere else in it. Gaussians made
/// one by one cost 46 ms for a 4K frame.
struct SensorNoise {
  private let seed: UInt64
  private let lumaDeviations: [UInt8]
  private let chromaDeviation: UInt8

  /// - Parameter level: standard deviation at Y 126, in code values, above 0; more than 10 does not fit the arithmetic.
  init(level: Double, seed: UInt64) {
    let level = min(level, 10)
    self.seed = seed
    lumaDeviations = (0..<256).map { Self.fixedPoint(Self.variance(ofLuma: $0, level: level).squareRoot()) }
    chromaDeviation = Self.fixedPoint(level / 2)
  }

  /// The variance of luma noise in squared code values, before rounding to whole values (which adds 1/12).
  static func variance(ofLuma y: Int, level: Double) -> Double {
    let light = Double(max(0, y - 16)) / 110
    return level * level * (0.2 + 0.8 * light)
  }

  /// The deviation of each component, in sixteenths of a code value.
  func deviation(of color: YCbCr) -> YCbCr { YCbCr(lumaDeviations[Int(color.y)], chromaDeviation, chromaDeviation) }

  /// Writes `count` bytes of `picture` with noise to `output`.
  ///
  /// - Parameter line: which line of which plane, so that no two lines of a frame carry the same noise.
  func add(
    to picture: UnsafePointer<UInt8>, deviation: UnsafePointer<UInt8>, count: Int, sequence: UInt64, line: Int,
    output: UnsafeMutablePointer<UInt8>
  ) {
    let start = SplitMix64.hash(SplitMix64.hash(seed ^ sequence) ^ UInt64(line)) % UInt64(GaussianTable.period)
    let table = GaussianTable.shared.values + Int(start)
    var i = 0
    // A plain loop over concrete types: the optimiser turns it into vector code, and a debug build stays usable.
    while i < count {
      let scaled = (Int16(table[i]) &* Int16(deviation[i]) &+ 256) &>> 9
      let value = Int16(picture[i]) &+ scaled
      output[i] = UInt8(truncatingIfNeeded: value < 0 ? 0 : value > 255 ? 255 : value)
      i &+= 1
    }
  }

  private static func fixedPoint(_ deviation: Double) -> UInt8 { UInt8(min(255, (deviation * 16).rounded())) }
}

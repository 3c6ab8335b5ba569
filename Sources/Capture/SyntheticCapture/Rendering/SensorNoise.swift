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

/// A table of Gaussian values with mean 0 and deviation 32. The process makes the table once.
final class GaussianTable: @unchecked Sendable {
  // Unchecked because of the pointer: no thread writes to the table after `init`.
  static let shared = GaussianTable()

  /// The number of values before the table repeats itself. The noise of a line may start at any of these values.
  static let period = 1 << 17
  /// How many values of the beginning the table repeats at its end, so that a line that starts near the end can read
  /// on. The longest line is that of 4K YUYV, 7,680 bytes.
  private static let margin = 8192

  let values: UnsafePointer<Int8>

  private init() {
    let table = UnsafeMutablePointer<Int8>.allocate(capacity: Self.period + Self.margin)
    var random = SplitMix64(state: 0x6c69_6768_7400_0001)
    for i in 0..<Self.period { table[i] = Self.gaussian(random.next()) }
    (table + Self.period).update(from: table, count: Self.margin)
    values = UnsafePointer(table)
  }

  /// Turns eight random bytes into a Gaussian value. The sum of the bytes is as good as Gaussian up to ±4 deviations,
  /// and because the sum takes only whole numbers, every machine gets the same table.
  private static func gaussian(_ word: UInt64) -> Int8 {
    var (sum, rest) = (0, word)
    for _ in 0..<8 {
      sum += Int(rest & 255)
      rest >>= 8
    }
    // The sum has the mean 8 · 127.5 = 1020 and the deviation √(8 · 65535 / 12) = 209.02. The factor for a deviation of
    // 32 is 32 / 209.02 = 0.15309 = 10033 / 65536.
    let scaled = ((sum - 1020) * 10033 + 32768) >> 16
    return Int8(max(-127, min(127, scaled)))
  }
}

/// The random number generator SplitMix64 by Sebastiano Vigna. It is small and fast, and its outputs are well mixed
/// although its state only counts.
struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mix(state)
  }

  /// Maps a value to a well-mixed value: the first output of a generator whose state is `value`.
  static func hash(_ value: UInt64) -> UInt64 { mix(value &+ 0x9e37_79b9_7f4a_7c15) }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

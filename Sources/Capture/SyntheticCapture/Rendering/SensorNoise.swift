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

/// Gaussian values of mean 0 and deviation 32, made once.
final class GaussianTable: @unchecked Sendable {
  // Unchecked because of the pointer: nothing writes to the table after `init`.
  static let shared = GaussianTable()

  /// A line may start at any of so many places.
  static let period = 1 << 17
  /// The longest line, of 4K YUYV, runs over the end of the period.
  private static let margin = 8192

  let values: UnsafePointer<Int8>

  private init() {
    let table = UnsafeMutablePointer<Int8>.allocate(capacity: Self.period + Self.margin)
    var random = SplitMix64(state: 0x6c69_6768_7400_0001)
    for i in 0..<Self.period { table[i] = Self.gaussian(random.next()) }
    (table + Self.period).update(from: table, count: Self.margin)
    values = UnsafePointer(table)
  }

  /// The sum of eight bytes is as good as Gaussian to ±4 deviations and, being whole numbers, the same on every machine.
  private static func gaussian(_ word: UInt64) -> Int8 {
    var (sum, rest) = (0, word)
    for _ in 0..<8 {
      sum += Int(rest & 255)
      rest >>= 8
    }
    // Mean 8 · 127.5 = 1020; deviation √(8 · 65535 / 12) = 209.02, so 32 is a factor of 0.15309 = 10033 / 65536.
    let scaled = ((sum - 1020) * 10033 + 32768) >> 16
    return Int8(max(-127, min(127, scaled)))
  }
}

/// Sebastiano Vigna's SplitMix64: small, fast, and every output of a counter is well mixed.
struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mix(state)
  }

  /// One number for another, without a sequence.
  static func hash(_ value: UInt64) -> UInt64 { mix(value &+ 0x9e37_79b9_7f4a_7c15) }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

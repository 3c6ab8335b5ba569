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

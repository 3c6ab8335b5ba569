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

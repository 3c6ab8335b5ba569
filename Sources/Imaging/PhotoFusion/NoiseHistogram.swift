internal import CPhotoFusion

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// How often which variance was seen in small squares, by luma, and the noise that follows from it. A value.
///
/// Squares that moved or carry detail only look noisier, so the lower part of what was seen is the noise.
struct NoiseHistogram {
  private var counts = [Int32](repeating: 0, count: Int(CFUSION_LEVELS) * Int(CFUSION_ROWS))

  mutating func observe(_ body: (UnsafeMutablePointer<Int32>) -> Void) {
    counts.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }

  private func levels(_ row: Int) -> ArraySlice<Int32> {
    counts[row * Int(CFUSION_LEVELS)..<(row + 1) * Int(CFUSION_LEVELS)]
  }

  /// Squares of a row of the histogram, and those of them that show no noise.
  func count(row: Int) -> (all: Int, clean: Int) {
    (levels(row).reduce(0) { $0 + Int($1) }, Int(levels(row).first ?? 0))
  }

  /// The variance that `share` of the squares of a row of the histogram that show any do not exceed, and how many these are.
  func quantile(_ share: Double, row: Int) -> (variance: Double, count: Int) {
    let levels = levels(row).dropFirst()
    let total = levels.reduce(0) { $0 + Int($1) }
    var left = Double(total) * share
    for (level, count) in zip(1..., levels) {
      if Double(count) >= left, count > 0 {
        let place = Double(level) + left / Double(count)
        return (Self.variance(atLevel: place), total)
      }
      left -= Double(count)
    }
    return (0, 0)
  }

  private static func variance(atLevel level: Double) -> Double {
    exp2(level / Double(CFUSION_LEVELS_PER_OCTAVE) + Double(CFUSION_FIRST_OCTAVE))
  }
}

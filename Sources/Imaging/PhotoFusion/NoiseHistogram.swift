internal import CPhotoFusion
internal import Glibc

/// Counts how often each variance was observed in small squares, by range of luma, and derives the noise from the
/// counts. A histogram is a value.
///
/// Motion and detail only make a square look noisier, so the lower part of the observed variances is the noise.
struct NoiseHistogram {
  private var counts = [Int32](repeating: 0, count: Int(CFUSION_LEVELS) * Int(CFUSION_ROWS))

  /// Lets `body` add to the counts: `CFUSION_ROWS` rows of `CFUSION_LEVELS` counts, valid during the call.
  mutating func observe(_ body: (UnsafeMutablePointer<Int32>) -> Void) {
    counts.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }

  private func levels(_ row: Int) -> ArraySlice<Int32> {
    counts[row * Int(CFUSION_LEVELS)..<(row + 1) * Int(CFUSION_LEVELS)]
  }

  /// The number of squares in a row of the histogram, and how many of these show no noise.
  func count(row: Int) -> (all: Int, clean: Int) {
    (levels(row).reduce(0) { $0 + Int($1) }, Int(levels(row).first ?? 0))
  }

  /// The variance that a share of the noisy squares in a row does not exceed, and the number of noisy squares. Both are
  /// 0 when there are none.
  ///
  /// - Parameter share: The share of the squares, 0 to 1. Squares that show no noise do not count.
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

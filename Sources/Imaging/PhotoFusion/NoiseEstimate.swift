internal import CPhotoFusion
internal import Glibc

/// Estimates a noise model from histograms of observed variances.
struct NoiseEstimate {
  /// The variance that rounding to whole values has, in squared code values. The model never assumes less, which would
  /// only lead to divisions by zero.
  static let least = 1.0 / 12

  /// Estimates the noise of one frame.
  ///
  /// - Parameters:
  ///   - between: The variances of differences between frames; nil when there is only one frame. Motion makes them too
  ///     large.
  ///   - within: The variances from second differences within the reference. Detail makes them too large, and they are
  ///     too small when the camera has smoothed the noise.
  static func model(between: NoiseHistogram?, within: NoiseHistogram) -> NoiseModel {
    if let between, isClean(between) { return NoiseModel(read: least, shot: 0, chroma: chroma(between, within)) }
    var points: [(luma: Double, variance: Double, weight: Double)] = []
    for row in 0..<Int(CFUSION_RANGES) {
      guard let (variance, count) = variance(between, within, row: row) else { continue }
      points.append((Double(16 * row + 8), variance, Double(count).squareRoot()))
    }
    let (read, shot) = line(limited(points))
    return NoiseModel(read: read, shot: shot, chroma: chroma(between, within))
  }

  /// Whether at least half of the observed squares are equal in all frames. Then squares that differ show changes of
  /// the scene and not noise, even where a range of luma has no other squares.
  private static func isClean(_ between: NoiseHistogram) -> Bool {
    let counts = (Array(0..<Int(CFUSION_RANGES)) + [Int(CFUSION_CLIPPED)]).map { between.count(row: $0) }
    return 2 * counts.reduce(0) { $0 + $1.clean } >= max(1, counts.reduce(0) { $0 + $1.all })
  }

  private static func chroma(_ between: NoiseHistogram?, _ within: NoiseHistogram) -> Double {
    max(variance(between, within, row: Int(CFUSION_CHROMA))?.variance ?? least, least)
  }

  /// Limits the variances of ranges of luma that look far noisier than the others, because only squares with motion or
  /// detail fall into them.
  ///
  /// Noise grows with luma at most as fast as luma does. A variance above four times what that growth from the median
  /// range explains is not noise.
  private static func limited(
    _ points: [(luma: Double, variance: Double, weight: Double)]
  ) -> [(luma: Double, variance: Double, weight: Double)] {
    var left = points.reduce(0) { $0 + $1.weight } / 2
    let median = points.sorted { $0.variance < $1.variance }.first { point in
      left -= point.weight
      return left <= 0
    }
    guard let median else { return points }
    return points.map { point in
      let most = 4 * max(median.variance, least) * max(1, point.luma / median.luma)
      return (point.luma, min(point.variance, most), point.weight)
    }
  }

  /// The variance of the noise in a row of the histograms, and the number of observed squares; nil when there were
  /// none.
  ///
  /// The quarter of the squares with the lowest variance shows noise alone. The divisors 0.87 and 0.75 are the ratio of
  /// that quarter's upper limit to the mean variance, for the number of independent values that a square has of each
  /// kind.
  private static func variance(_ between: NoiseHistogram?, _ within: NoiseHistogram, row: Int)
    -> (variance: Double, count: Int)?
  {
    let alone = within.quantile(0.25, row: row)
    let inside = alone.variance / 0.75
    guard let between else { return alone.count > 0 ? (inside, alone.count) : nil }
    let seen = between.count(row: row)
    if seen.clean > 0, 4 * seen.clean >= seen.all { return (least, seen.all) }
    let across = between.quantile(0.25, row: row)
    guard across.count > 0 else { return nil }
    // Where the whole scene moves, differences between frames are not noise. Twice the noise within the reference is
    // therefore the limit.
    return (min(across.variance / 0.87, alone.count > 0 ? 2 * inside : .infinity), across.count)
  }

  /// Fits a line to the points by weighted least squares, limited so that the variance is positive for luma from 0 to
  /// 255.
  private static func line(_ points: [(luma: Double, variance: Double, weight: Double)]) -> (read: Double, shot: Double)
  {
    let weight = points.reduce(0) { $0 + $1.weight }
    guard weight > 0 else { return (least, 0) }
    let luma = points.reduce(0) { $0 + $1.weight * $1.luma } / weight
    // Squares may show less variance than rounding has. The line is then level, because a slope would lead to negative
    // variances.
    let variance = max(least, points.reduce(0) { $0 + $1.weight * $1.variance } / weight)
    let spread = points.reduce(0) { $0 + $1.weight * ($1.luma - luma) * ($1.luma - luma) }
    let common = points.reduce(0) { $0 + $1.weight * ($1.luma - luma) * ($1.variance - variance) }
    // A single range of luma does not determine a slope. Otherwise the slope is made flatter where the line would fall
    // below `floor` between luma 0 and 255.
    let free = spread > 0 ? common / spread : 0
    let floor = max(least, 0.1 * variance)
    let shot = min(max(free, -(variance - floor) / max(255 - luma, 1)), (variance - floor) / max(luma, 1))
    return (max(least, variance - shot * luma), shot)
  }
}

/// A model of how noise grows with light, in squared code values of eight bits. Shot noise has a variance proportional
/// to the light, and read noise is independent of the light.
public struct NoiseModel: Hashable, Sendable {
  /// The variance of luma noise at luma 0, in squared code values.
  public var read: Double
  /// The increase of the variance with each level of luma. The value is negative when a camera's tone curve flattens
  /// highlights.
  public var shot: Double
  /// The variance of the noise in each chroma component, in squared code values.
  public var chroma: Double

  /// The standard deviation of luma noise at `luma`, which is 0 to 255. The result is in code values.
  public func deviation(luma: Double) -> Double { max(0, read + shot * luma).squareRoot() }
}

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

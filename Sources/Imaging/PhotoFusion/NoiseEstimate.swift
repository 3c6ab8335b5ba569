internal import CPhotoFusion

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// From what was seen to a model.
struct NoiseEstimate {
  /// Less than rounding to whole values makes would only divide by nothing.
  static let least = 1.0 / 12

  /// - Parameters:
  ///   - between: differences between frames. Motion makes them too large.
  ///   - within: second differences within the reference. Detail makes them too large, and noise that a camera has
  ///     smoothed too small.
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

  /// Whether half of the picture is the same in all frames: then what differs has changed, though it be all there is to see
  /// in its range of luma.
  private static func isClean(_ between: NoiseHistogram) -> Bool {
    let counts = (Array(0..<Int(CFUSION_RANGES)) + [Int(CFUSION_CLIPPED)]).map { between.count(row: $0) }
    return 2 * counts.reduce(0) { $0 + $1.clean } >= max(1, counts.reduce(0) { $0 + $1.all })
  }

  private static func chroma(_ between: NoiseHistogram?, _ within: NoiseHistogram) -> Double {
    max(variance(between, within, row: Int(CFUSION_CHROMA))?.variance ?? least, least)
  }

  /// A range of luma that only moving or detailed squares have looks far noisier than the others. Noise grows with luma at
  /// most as fast as luma does; four times that above the median range is something else.
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

  /// What a quarter of the squares do not exceed is noise alone; the divisors are what part of the mean that is, for as
  /// many independent values as a square has of each.
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
    // Where nothing stands still, differences between frames are no noise; then twice the noise within is the limit.
    return (min(across.variance / 0.87, alone.count > 0 ? 2 * inside : .infinity), across.count)
  }

  /// The weighted line through the points that is positive from 0 to 255.
  private static func line(_ points: [(luma: Double, variance: Double, weight: Double)]) -> (read: Double, shot: Double)
  {
    let weight = points.reduce(0) { $0 + $1.weight }
    guard weight > 0 else { return (least, 0) }
    let luma = points.reduce(0) { $0 + $1.weight * $1.luma } / weight
    // Squares may show less than rounding makes: then the line is level, or it would end below nothing.
    let variance = max(least, points.reduce(0) { $0 + $1.weight * $1.variance } / weight)
    let spread = points.reduce(0) { $0 + $1.weight * ($1.luma - luma) * ($1.luma - luma) }
    let common = points.reduce(0) { $0 + $1.weight * ($1.luma - luma) * ($1.variance - variance) }
    // One range of luma says nothing of a slope; the further ones the line would run into the negative, the flatter.
    let free = spread > 0 ? common / spread : 0
    let floor = max(least, 0.1 * variance)
    let shot = min(max(free, -(variance - floor) / max(255 - luma, 1)), (variance - floor) / max(luma, 1))
    return (max(least, variance - shot * luma), shot)
  }
}

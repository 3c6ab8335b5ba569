/// Where a movie is cut into parts of a set duration, by the times of its pictures. Times are nanoseconds.
struct MovieCuts: Sendable {
  /// The duration of a part. Nil leaves the movie in one part.
  let interval: UInt64?
  /// When the present part began. Nil before the first one.
  private(set) var start: UInt64?

  init(every interval: UInt64?) { self.interval = interval }

  /// Whether a part begins with this picture. The time stamps of a steady rate vary by microseconds, so a picture that
  /// comes less than half of its duration early begins it too.
  func isDue(at time: UInt64, lasting duration: UInt64) -> Bool {
    guard let start else { return true }
    guard let interval else { return false }
    return time + duration / 2 >= start + interval
  }

  /// Begins a part.
  mutating func begin(at time: UInt64) { start = time }
}

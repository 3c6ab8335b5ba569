/// Writes durations in texts for people.
enum Seconds {
  /// The duration in seconds with one decimal, rounded down, for example `"2.4"`.
  static func tenths(_ nanoseconds: UInt64) -> String {
    let tenths = nanoseconds / 100_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}

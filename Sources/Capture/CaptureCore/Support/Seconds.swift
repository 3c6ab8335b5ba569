/// Durations in texts.
enum Seconds {
  /// `"2.4"`, rounded down.
  static func tenths(_ nanoseconds: UInt64) -> String {
    let tenths = nanoseconds / 100_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}

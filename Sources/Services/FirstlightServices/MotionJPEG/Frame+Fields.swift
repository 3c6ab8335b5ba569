internal import CaptureCore
internal import SystemClocks

extension Frame {
  /// What the head of a picture by HTTP says about its frame. `X-Timestamp` is the capture time in seconds, as clients
  /// of mjpg-streamer and of ustreamer know it.
  var fields: KeyValuePairs<String, String> {
    let (seconds, nanoseconds) = time.wall.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return [
      "X-Sequence": "\(sequence)",
      "X-Stream-Id": "\(streamID)",
      "X-Capture-Time": time.wall.rfc3339,
      "X-Timestamp": "\(seconds).\((nanoseconds / 1000).padded(to: 6))",
    ]
  }
}

extension WallInstant {
  /// The instant in the form of RFC 3339 in UTC with nanoseconds, for example `2026-11-26T02:05:33.250000000Z`.
  var rfc3339: String {
    let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = Self.date(days)
    let clock = [time / 3600, time / 60 % 60, time % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    return "\(year)-\(month.padded(to: 2))-\(day.padded(to: 2))T\(clock).\(fraction.padded(to: 9))Z"
  }

  /// The date of a day by its number since 1970-01-01. The calculation counts years from March, so that the leap day is
  /// the last day of a year, and in eras of 400 years, which all have the same number of days
  /// (<https://howardhinnant.github.io/date_algorithms.html>).
  private static func date(_ days: UInt64) -> (year: UInt64, month: UInt64, day: UInt64) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }
}

extension UInt64 {
  /// The number in decimal with at least `digits` digits.
  fileprivate func padded(to digits: Int) -> String {
    let text = String(self)
    return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
  }
}

internal import Glibc

/// An instant of the wall clock, CLOCK_REALTIME. This clock steps when it is set.
public struct WallInstant: ClockInstant {
  /// Nanoseconds since the Unix epoch.
  public var nanoseconds: UInt64

  /// Creates the instant `nanoseconds` after the Unix epoch.
  @inlinable
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// The present instant.
  public static func now() -> WallInstant { WallInstant(nanoseconds: readClock(CLOCK_REALTIME)) }
}

extension WallInstant {
  /// The instant in the form of RFC 3339 in UTC with nanoseconds, for example `2026-11-26T02:05:33.250000000Z`.
  public var rfc3339: String {
    let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = Self.date(days)
    let clock = [time / 3600, time / 60 % 60, time % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    return "\(year)-\(month.padded(to: 2))-\(day.padded(to: 2))T\(clock).\(fraction.padded(to: 9))Z"
  }

  /// Reads the form of RFC 3339, with any offset from UTC and up to nine digits after the second. Nil for anything
  /// else, and for times before 1970 and after 2553.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy(Self.isDigit) else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), bytes[4] == 0x2d, bytes[7] == 0x2d,
      bytes[10] | 0x20 == 0x74, bytes[13] == 0x3a, bytes[16] == 0x3a, (1970...2553).contains(year),
      (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60
    else { return nil }
    let days = Self.days(year, month, day)
    let (_, sameMonth, sameDay) = Self.date(UInt64(days))
    guard sameMonth == month, sameDay == day else { return nil }
    var rest = bytes[19...]
    var fraction: UInt64 = 0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix(while: Self.isDigit)
      guard (1...9).contains(digits.count) else { return nil }
      fraction = digits.reduce(0) { $0 * 10 + UInt64($1 - 0x30) }
      for _ in digits.count..<9 { fraction *= 10 }
      rest = rest[digits.endIndex...]
    }
    var offset: Int64 = 0
    if rest.count == 6, let sign = rest.first, sign == 0x2b || sign == 0x2d {
      let start = rest.startIndex
      guard let hours = number(start + 1..<start + 3), let minutes = number(start + 4..<start + 6), hours < 24,
        minutes < 60, bytes[start + 3] == 0x3a
      else { return nil }
      offset = (hours * 60 + minutes) * (sign == 0x2b ? 60 : -60)
    } else if rest.count != 1 || rest.first! | 0x20 != 0x7a {
      return nil
    }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    guard seconds >= 0 else { return nil }
    self.init(nanoseconds: UInt64(seconds) * 1_000_000_000 + fraction)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

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

  /// The number of a day since 1970-01-01, by the same calculation backwards.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = year.quotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension UInt64 {
  /// The number in decimal with at least `digits` digits.
  package func padded(to digits: Int) -> String {
    let text = String(self)
    return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
  }
}

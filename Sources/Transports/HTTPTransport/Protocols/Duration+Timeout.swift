extension Duration {
  /// Reads the value of `connect-timeout-ms`, which is a number of milliseconds with at most ten digits. Nil for any
  /// other value.
  init?(connectTimeout text: String) {
    guard let milliseconds = number(text[...], digits: 10) else { return nil }
    self = .milliseconds(milliseconds)
  }

  /// Reads the value of `grpc-timeout`, which is a number with at most eight digits and a unit. Nil for any other
  /// value.
  init?(grpcTimeout text: String) {
    guard let number = number(text.dropLast(), digits: 8) else { return nil }
    switch text.last {
    case "H": self = .seconds(number * 3600)
    case "M": self = .seconds(number * 60)
    case "S": self = .seconds(number)
    case "m": self = .milliseconds(number)
    case "u": self = .microseconds(number)
    case "n": self = .nanoseconds(number)
    default: return nil
    }
  }
}

/// Returns the number that a text of decimal digits stands for. Nil for a text that is empty, has more than `digits`
/// digits or has other characters.
private func number(_ text: Substring, digits: Int) -> Int? {
  guard text.utf8.count <= digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return Int(text)
}

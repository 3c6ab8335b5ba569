/// Names that nobody can guess and that never come twice: of streams, of logs of events, of runs of the daemon.
public enum RandomToken {
  /// - Parameter words: 64 bits each from the system's generator.
  /// - Returns: 16 hexadecimal digits a word.
  public static func make(words: Int = 2) -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<words).map { _ in
      let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

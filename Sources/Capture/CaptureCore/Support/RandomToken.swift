/// Makes names that cannot be guessed and never repeat, for streams, for event logs and for runs of the daemon.
public enum RandomToken {
  /// Makes a name from the system's random number generator.
  ///
  /// - Parameter words: how many random numbers of 64 bits the name has.
  /// - Returns: 16 hexadecimal digits for each word.
  public static func make(words: Int = 2) -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<words).map { _ in
      let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// The form of sound: how many samples a second, of how many channels.
public struct AudioFormat: Hashable, Sendable {
  /// Samples per second of each channel, in Hz.
  public var sampleRate: Int
  /// The number of channels, at least 1.
  public var channelCount: Int

  /// Creates a format.
  ///
  /// - Parameters:
  ///   - sampleRate: in Hz.
  ///   - channelCount: at least 1.
  public init(sampleRate: Int, channelCount: Int) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// The time that `count` samples of each channel take, in nanoseconds, rounded down.
  public func nanoseconds(ofSamples count: Int) -> UInt64 {
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: sampleRate)
    return UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(sampleRate)
  }

  /// The number of samples of each channel that `nanoseconds` take, rounded to the nearest.
  public func samples(in nanoseconds: UInt64) -> Int {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Int(seconds) * sampleRate + Int((rest * UInt64(sampleRate) + 500_000_000) / 1_000_000_000)
  }
}

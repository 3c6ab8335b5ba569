/// How the sound of a movie is coded.
public enum AudioCodec: String, CaseIterable, Sendable {
  /// AAC-LC, which all players play.
  case aac
  /// Opus.
  case opus
  /// Integers of 16 bits, without loss.
  case pcm

  /// The rates that the codec has, in Hz, the lowest first. Nil for any rate.
  public var sampleRates: [Int]? {
    switch self {
    // ISO/IEC 14496-3, table 1.18.
    case .aac: [7350, 8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000]
    // RFC 6716, 2.
    case .opus: [8000, 12_000, 16_000, 24_000, 48_000]
    case .pcm: nil
    }
  }

  /// The most channels of a track.
  public var maximumChannelCount: Int { self == .pcm ? 64 : 8 }

  /// Whether the codec can have sound of a form.
  public func takes(_ format: AudioFormat) -> Bool {
    (sampleRates?.contains(format.sampleRate) ?? true) && format.channelCount <= maximumChannelCount
  }
}

public import SystemClocks

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

/// The way of sound from a microphone of a session to an output, while it is enabled.
public struct AudioConnection: Hashable, Sendable {
  /// The id of the session's input.
  public var input: String
  /// The form of the sound. Blocks may have another form, which a recording converts: a microphone that was away when
  /// the form was resolved may come in another one, and a pre-roll may have sound from before that.
  public var format: AudioFormat

  /// Creates a connection.
  ///
  /// - Parameters: as the properties of the same names.
  public init(input: String, format: AudioFormat) {
    self.input = input
    self.format = format
  }
}

/// A piece of sound, some hundredths of a second long, as outputs get it.
///
/// The samples of one source lie on a grid of the format's rate on the monotonic clock: the source has already
/// compensated the drift of the sound card's clock, and has put silence of the right length where samples were lost. So
/// each block of a source begins where the block before it ended.
public struct AudioBlock: Sendable {
  /// The form of the samples.
  public var format: AudioFormat
  /// The instant at which the first sample was captured.
  public var time: MonotonicInstant
  /// The samples from -1 to 1, interleaved: one of each channel, then the next one of each channel.
  public var samples: [Float]
  /// How many samples of each channel are silence that the source put in for samples that were lost.
  public var silentCount: Int

  /// The number of samples of each channel.
  public var count: Int { samples.count / format.channelCount }
  /// The instant after the last sample, at which the next block of the same source begins.
  public var end: MonotonicInstant { time + format.nanoseconds(ofSamples: count) }

  /// Creates a block.
  ///
  /// - Parameters: as the properties of the same names; `samples` has the same number of samples of each channel.
  public init(format: AudioFormat, time: MonotonicInstant, samples: [Float], silentCount: Int = 0) {
    self.format = format
    self.time = time
    self.samples = samples
    self.silentCount = silentCount
  }
}

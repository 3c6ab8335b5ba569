public import SystemClocks

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

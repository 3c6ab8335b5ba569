internal import Glibc
public import SystemClocks

/// How loud sound was, channel by channel, over and over for spans of the same length. A value.
public struct AudioMeter: Hashable, Sendable {
  /// How loud one channel was in a span, in decibels below full scale: 0 is the loudest, ``silence`` the least.
  public struct Level: Hashable, Sendable {
    /// That of the loudest sample.
    public var peak: Float
    /// That of a constant sound with the same energy. A sine of full scale has -3.
    public var rms: Float

    /// Creates a level.
    public init(peak: Float, rms: Float) {
      self.peak = peak
      self.rms = rms
    }
  }

  /// The levels of all channels in one span.
  public struct Reading: Hashable, Sendable {
    /// The instant after the last sample of the span.
    public var end: MonotonicInstant
    /// One level for each channel, in order.
    public var levels: [Level]

    /// Creates a reading.
    public init(end: MonotonicInstant, levels: [Level]) {
      self.end = end
      self.levels = levels
    }
  }

  /// The level of silence. Nothing counts as quieter.
  public static let silence: Float = -120

  /// The form of the sound that the meter takes.
  public let format: AudioFormat
  private let spanCount: Int
  private var count = 0
  private var peaks: [Float]
  private var energies: [Double]

  /// Creates a meter.
  ///
  /// - Parameters:
  ///   - format: the form of all blocks that the meter will get.
  ///   - rate: readings per second, at least 1.
  public init(_ format: AudioFormat, rate: Int) {
    self.format = format
    spanCount = max(1, format.sampleRate / max(1, rate))
    peaks = [Float](repeating: 0, count: format.channelCount)
    energies = [Double](repeating: 0, count: format.channelCount)
  }

  /// Takes the next block.
  ///
  /// - Returns: a reading for each span that ends in this block.
  public mutating func take(_ block: AudioBlock) -> [Reading] {
    var readings: [Reading] = []
    for index in 0..<block.count {
      for channel in 0..<format.channelCount {
        let sample = block.samples[index * format.channelCount + channel]
        peaks[channel] = max(peaks[channel], abs(sample))
        energies[channel] += Double(sample * sample)
      }
      count += 1
      if count == spanCount {
        readings.append(finish(at: block.time + format.nanoseconds(ofSamples: index + 1)))
      }
    }
    return readings
  }

  private mutating func finish(at end: MonotonicInstant) -> Reading {
    let levels = zip(peaks, energies).map { peak, energy in
      Level(peak: Self.decibels(Double(peak)), rms: Self.decibels((energy / Double(count)).squareRoot()))
    }
    count = 0
    for channel in peaks.indices { (peaks[channel], energies[channel]) = (0, 0) }
    return Reading(end: end, levels: levels)
  }

  private static func decibels(_ amplitude: Double) -> Float {
    amplitude > 1e-6 ? Float(20 * log10(amplitude)) : silence
  }
}

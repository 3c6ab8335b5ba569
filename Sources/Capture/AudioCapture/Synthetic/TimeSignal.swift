internal import Glibc
internal import SystemClocks

/// The sound of a synthetic microphone, which says when it was captured. A value without state: the sound follows from
/// the wall clock alone.
///
/// Every 100 ms of the wall clock begin with a chirp, whose onset marks the instant, and go on with 14 tones that name
/// the tick, the microphone and the channel; see docs/time-signal.md. `Tests/Acceptance/time_signal.py` reads it.
struct TimeSignal: Hashable, Sendable {
  /// The nanoseconds from one tick to the next.
  static let tick: UInt64 = 100_000_000
  /// The loudest sample.
  static let amplitude = 0.5
  /// The chirp rises from the first frequency to the second one, in Hz, in ``chirpDuration``.
  static let chirp = (1000.0, 5000.0)
  /// In seconds.
  static let chirpDuration = 0.010
  /// The first symbol begins so many seconds after the tick.
  static let symbolStart = 0.012
  /// The seconds that a symbol takes.
  static let symbolDuration = 0.006
  static let symbolCount = 14
  /// The tones of the 16 symbols, in Hz: the lowest one, and the distance to the next.
  static let tones = (1000.0, 250.0)
  /// How long a chirp or a tone takes to come and to go, in seconds.
  static let edge = 0.0005

  /// The number of the microphone; its lowest four bits are told.
  var microphone: Int

  /// The symbols of a tick, 0 to 15 each: ten of the tick's number, one of the microphone's, one of the channel's, two
  /// of the check; of each number the highest bits first.
  func symbols(ofTick tick: UInt64, channel: Int) -> [UInt8] {
    var symbols = (0..<10).reversed().map { UInt8(tick >> (4 * UInt64($0)) & 15) }
    symbols += [UInt8(microphone & 15), UInt8(channel & 15)]
    let check = Self.check(symbols)
    return symbols + [check >> 4, check & 15]
  }

  /// CRC-8 with the polynomial 0x07 over the symbols, four bits of each, the highest bit first.
  static func check(_ symbols: [UInt8]) -> UInt8 {
    var check: UInt8 = 0
    for symbol in symbols {
      for bit in (0..<4).reversed() {
        let isSet = (check >> 7) ^ (symbol >> UInt8(bit) & 1) == 1
        check = check << 1 ^ (isSet ? 0x07 : 0)
      }
    }
    return check
  }

  /// Renders `count` samples of each channel, interleaved.
  ///
  /// - Parameters:
  ///   - start: the wall-clock time of the first sample.
  ///   - period: the time from one sample to the next, in nanoseconds.
  func render(_ count: Int, channelCount: Int, from start: WallInstant, period: Double) -> [Float] {
    var tick: UInt64?
    var symbols: [[UInt8]] = []
    return [Float](unsafeUninitializedCapacity: count * channelCount) { output, written in
      for index in 0..<count {
        let offset = Double(start.nanoseconds % Self.tick) + Double(index) * period
        let ahead = UInt64(offset) / Self.tick
        let present = start.nanoseconds / Self.tick + ahead
        if tick != present {
          tick = present
          symbols = (0..<channelCount).map { self.symbols(ofTick: present, channel: $0) }
        }
        let seconds = (offset - Double(ahead * Self.tick)) / 1e9
        for channel in 0..<channelCount {
          output[index * channelCount + channel] = Float(Self.amplitude * Self.level(at: seconds, symbols[channel]))
        }
      }
      written = count * channelCount
    }
  }

  /// The signal `seconds` after a tick, from -1 to 1.
  private static func level(at seconds: Double, _ symbols: [UInt8]) -> Double {
    if seconds < chirpDuration {
      let slope = (chirp.1 - chirp.0) / chirpDuration
      return sin(2 * .pi * (chirp.0 + slope / 2 * seconds) * seconds) * envelope(seconds, of: chirpDuration)
    }
    let number = Int(((seconds - symbolStart) / symbolDuration).rounded(.down))
    guard number >= 0, number < symbolCount else { return 0 }
    let into = seconds - symbolStart - Double(number) * symbolDuration
    let frequency = tones.0 + tones.1 * Double(symbols[number])
    return sin(2 * .pi * frequency * into) * envelope(into, of: symbolDuration)
  }

  /// Rises and falls along a quarter of a sine, so that no edge spreads over other frequencies.
  private static func envelope(_ seconds: Double, of duration: Double) -> Double {
    let nearest = min(seconds, duration - seconds)
    return nearest >= edge ? 1 : nearest <= 0 ? 0 : sin(.pi / 2 * nearest / edge)
  }
}

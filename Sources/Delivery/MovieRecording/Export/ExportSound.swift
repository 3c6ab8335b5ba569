internal import VideoCoding

/// Which sound of several recordings makes a track of the movie of a span. A value.
struct ExportSound {
  /// The sound of a recording.
  struct Part {
    var samples: [MovieIndex.Sample]
    /// Where the last sample ends, in samples of a channel from the start of the recording's movie.
    var endTime: Int64
    /// Samples of a channel in a second.
    var rate: Int64

    /// The sound that begins from `start` to `end`, in nanoseconds from the start of the recording's movie.
    func cut(from start: Int64, to end: Int64) -> Part {
      let (first, last) = (start > 0 ? ExportSound.units(start, rate) : .min, ExportSound.units(end, rate))
      let cut = samples.firstIndex { $0.time >= last } ?? samples.count
      return Part(
        samples: Array(samples[..<cut].drop { $0.time < first }),
        endTime: cut < samples.count ? samples[cut].time : endTime, rate: rate)
    }

    /// Leaves out what no movie needs that lasts from `start` to `end`, in nanoseconds from the start of the
    /// recording's movie. A decoder needs the sample before the one that is heard at the start.
    mutating func trim(from start: Int64, to end: Int64) {
      let (first, last) = (ExportSound.units(start, rate), ExportSound.units(end, rate))
      let cut = samples.firstIndex { $0.time >= last } ?? samples.count
      let heard = samples[..<cut].lastIndex { $0.time <= first } ?? 0
      if cut < samples.count { endTime = samples[cut].time }
      samples = Array(samples[..<cut].dropFirst(max(0, heard - 1)))
    }
  }

  /// A sample with the number of its part.
  struct Placed: Hashable {
    var part: Int
    var sample: MovieIndex.Sample
  }

  /// The samples with their times in the movie.
  private(set) var samples: [Placed] = []
  /// Where the last sample ends.
  private(set) var endTime: Int64 = 0
  /// Samples of a channel in a second; 0 before the first part.
  private(set) var rate: Int64 = 0
  /// Where the sound ends for a player that looks at no times, except where sound is missing for long.
  private var decodedEnd: Int64 = 0

  /// Adds the sound of a recording behind that of the ones before it.
  ///
  /// Each recording begins with a whole packet, and the last packet of the one before it is filled up with silence. It
  /// is left out where the sound would otherwise come later and later from seam to seam.
  ///
  /// - Parameters:
  ///   - number: the number of the part.
  ///   - shift: when the recording's movie begins, in nanoseconds of the span's movie.
  mutating func append(_ part: Part, of number: Int, shift: Int64) {
    guard let first = part.samples.first else { return }
    rate = part.rate
    let shift = Self.units(shift, rate)
    let packet = part.samples.count > 1 ? part.samples[1].time - first.time : part.endTime - first.time
    while let last = samples.last, last.part < number,
      last.sample.time >= first.time + shift || decodedEnd - (first.time + shift) > packet / 2
    {
      samples.removeLast()
      decodedEnd -= packet
    }
    if samples.isEmpty || decodedEnd + packet < first.time + shift { decodedEnd = first.time + shift }
    for var sample in part.samples {
      sample.time = max(sample.time + shift, samples.last.map { $0.sample.time + 1 } ?? .min)
      samples.append(Placed(part: number, sample: sample))
      decodedEnd += packet
    }
    endTime = max(part.endTime + shift, samples.last!.sample.time + 1)
  }

  /// Leaves out the packets that do not lie between the start of the movie and its end.
  ///
  /// - Parameter duration: the end, in nanoseconds from the start of the movie.
  mutating func cut(to duration: Int64) {
    let end = Self.units(duration, rate)
    // The last packet ends where the track does, and another one where the next begins.
    while let last = samples.last, endTime > end {
      endTime = last.sample.time
      samples.removeLast()
    }
    samples.removeFirst(samples.firstIndex { $0.sample.time >= 0 } ?? samples.count)
  }

  /// The nearest number of samples of a channel in a number of nanoseconds.
  private static func units(_ nanoseconds: Int64, _ rate: Int64) -> Int64 {
    let billion: Int64 = 1_000_000_000
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: billion)
    return seconds * rate + (rest * rate + (rest < 0 ? -billion / 2 : billion / 2)) / billion
  }
}

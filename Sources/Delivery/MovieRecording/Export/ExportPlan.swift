internal import VideoCoding

/// Which samples of several recordings make the movie of a span, and where their bytes come from.
struct ExportPlan {
  /// A recording with its samples.
  struct Part {
    /// The time of the movie's start, in ticks from the start of the span; negative when it is earlier.
    var position: Int64
    var samples: [MovieIndex.Sample]
    /// Where the last sample ends, in ticks from the start of the recording's movie.
    var endTime: Int64

    /// Leaves out the samples that no movie of a span needs. The span begins at 0 and lasts `duration` ticks, and so
    /// does its last frame at most.
    mutating func trim(to duration: Int64) {
      if let end = samples.firstIndex(where: { $0.time >= duration - position }) {
        samples.removeSubrange(end...)
      }
      endTime = min(endTime, duration - position)
      let first = samples.firstIndex { $0.time >= -position } ?? samples.count
      let start = samples[..<min(first + 1, samples.count)].lastIndex(where: \.isKeyFrame) ?? 0
      samples.removeSubrange(..<(first < samples.count ? start : first))
    }
  }

  /// Bytes that follow one another in a file and in the movie.
  struct Extent: Hashable {
    /// The number of the part.
    var part: Int
    /// Where in the part's file the bytes begin.
    var offset: UInt64
    var count: UInt64
  }

  /// The samples of the movie with their times in ticks. The first frame of the span has the time 0. Frames before it
  /// are only there to decode it.
  private(set) var samples: [MovieIndex.Sample] = []
  /// Where the bytes of the samples lie, in their order.
  private(set) var extents: [Extent] = []
  /// Where the last sample ends.
  private(set) var endTime: Int64 = 0
  /// The time of the first frame, in ticks from the start of the span.
  private(set) var startTime: Int64 = 0

  /// Chooses the samples.
  ///
  /// - Parameters:
  ///   - parts: the recordings in the order of their times.
  ///   - duration: the length of the span, in ticks.
  init(_ parts: [Part], duration: Int64) {
    let needed = Self.withoutOverlaps(parts.indices.filter { !parts[$0].samples.isEmpty }, of: parts)
    for (place, number) in needed.enumerated() {
      var part = parts[number]
      let next = place + 1 < needed.count ? parts[needed[place + 1]].position - Self.rounding : duration
      part.trim(to: min(duration, next))
      if samples.isEmpty, let first = part.samples.first(where: { $0.time >= -part.position }) {
        startTime = part.position + first.time
      }
      let shift = part.position - startTime
      for sample in part.samples { append(sample, of: number, at: sample.time + shift) }
      if !part.samples.isEmpty { endTime = max(part.endTime + shift, endTime + 1) }
    }
  }

  /// The numbers of the parts that have frames of their own. A recording with a pre-roll has frames of the recording
  /// before it too, maybe all of them. Such frames come once: each part ends where the next one begins, which is a key
  /// frame.
  private static func withoutOverlaps(_ numbers: [Int], of parts: [Part]) -> [Int] {
    var (needed, end) = ([Int](), Int64.min)
    for number in numbers where parts[number].position + parts[number].endTime > end + rounding {
      needed.append(number)
      end = parts[number].position + parts[number].endTime
    }
    return needed
  }

  /// The most ticks by which the times of one frame in two recordings differ.
  private static let rounding: Int64 = 2

  private mutating func append(_ sample: MovieIndex.Sample, of part: Int, at time: Int64) {
    var sample = sample
    // The muxer takes no two samples of the same time.
    sample.time = samples.last.map { max($0.time + 1, time) } ?? time
    samples.append(sample)
    endTime = sample.time
    if let last = extents.last, last.part == part, last.offset + last.count == sample.offset {
      extents[extents.count - 1].count += UInt64(sample.count)
    } else {
      extents.append(Extent(part: part, offset: sample.offset, count: UInt64(sample.count)))
    }
  }
}

extension MovieIndex {
  /// The nearest number of ticks.
  static func ticks(_ nanoseconds: Int64) -> Int64 {
    let billion: Int64 = 1_000_000_000
    let (seconds, rest) = (nanoseconds / billion, nanoseconds % billion)
    let scaled = rest * ticksPerSecond
    return seconds * ticksPerSecond + (scaled + (scaled < 0 ? -billion / 2 : billion / 2)) / billion
  }

  /// The nanoseconds of a number of ticks.
  static func nanoseconds(_ ticks: Int64) -> Int64 {
    ticks / ticksPerSecond * 1_000_000_000 + ticks % ticksPerSecond * 1_000_000_000 / ticksPerSecond
  }
}

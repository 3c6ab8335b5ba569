internal import VideoCoding

/// Which samples of several recordings make the movie of a span, and where their bytes come from.
struct ExportPlan {
  /// A recording with its samples, or the part of one from the end of a pause to the start of the next one.
  struct Part {
    /// The time of the movie's start, in nanoseconds from the start of the span; negative when it is earlier. Each part
    /// has one of its own, because a movie leaves pauses out.
    var position: Int64
    /// Where the part begins, in nanoseconds from the start of the recording's movie.
    var start: Int64 = 0
    var samples: [MovieIndex.Sample]
    /// Where the last sample ends, in nanoseconds from the start of the recording's movie.
    var endTime: Int64
    /// The sound, by the place of its track among the tracks of sound.
    var sounds: [Int: ExportSound.Part] = [:]

    /// The time at which the part begins, in nanoseconds from the start of the span.
    var beginning: Int64 { position + start }

    /// Leaves out the samples that no movie of a span needs. The span begins at 0 and lasts `duration` nanoseconds, and
    /// its last frame ends with the span at the latest.
    mutating func trim(to duration: Int64) {
      if let end = samples.firstIndex(where: { $0.time >= duration - position }) {
        samples.removeSubrange(end...)
      }
      endTime = min(endTime, duration - position)
      let first = samples.firstIndex { $0.time >= -position } ?? samples.count
      let start = samples[..<min(first + 1, samples.count)].lastIndex(where: \.isKeyFrame) ?? 0
      samples.removeSubrange(..<(first < samples.count ? start : first))
      for place in sounds.keys { sounds[place]!.trim(from: -position, to: duration - position) }
    }
  }

  /// A sample of the movie.
  struct Placed: Hashable {
    /// The number of the track: 0 is the track of the pictures, and the tracks of sound follow.
    var track: Int
    /// The index of the part among the parts of the plan, or ``inMemory``.
    var part: Int
    var sample: MovieIndex.Sample
  }

  /// A run of bytes that is without a gap both in the file of a part and in the movie.
  struct Extent: Hashable {
    /// The index of the part among the parts of the plan, or ``inMemory``.
    var part: Int
    /// Where in the part's file the bytes begin.
    var offset: UInt64
    var count: UInt64
  }

  /// Stands in place of the index of a part when the bytes of a sample are in memory and in no part's file.
  static let inMemory = -1

  /// The pictures of the movie with their times in nanoseconds. The first frame of the span has the time 0. The movie
  /// has earlier frames only because a decoder needs them to decode that frame.
  private(set) var samples: [MovieIndex.Sample] = []
  /// The index of the part of each picture, or ``inMemory``.
  private var parts: [Int] = []
  /// The sound, by the place of its track among the tracks of sound.
  private(set) var sounds: [Int: ExportSound] = [:]
  /// All samples in the order of the movie: of each second first the pictures, then the sound of each track. The order
  /// depends on nothing but the times, because the samples lie in another order in each file of a recording.
  private(set) var order: [Placed] = []
  /// Where the bytes of the samples lie, in their order.
  private(set) var extents: [Extent] = []
  /// Where the last picture ends.
  private(set) var endTime: Int64 = 0
  /// The time of the first frame, in nanoseconds from the start of the span.
  private(set) var startTime: Int64 = 0

  /// Chooses the samples.
  ///
  /// - Parameters:
  ///   - parts: the recordings in the order of their times.
  ///   - duration: the length of the span, in nanoseconds.
  init(_ parts: [Part], duration: Int64) {
    let needed = Self.withoutOverlaps(parts.indices.filter { !parts[$0].samples.isEmpty }, of: parts)
    for (place, number) in needed.enumerated() {
      var part = parts[number]
      let next = place + 1 < needed.count ? parts[needed[place + 1]].beginning - Self.rounding : duration
      part.trim(to: min(duration, next))
      if samples.isEmpty, let first = part.samples.first(where: { $0.time >= -part.position }) {
        startTime = part.position + first.time
      }
      let shift = part.position - startTime
      for sample in part.samples { append(sample, of: number, at: sample.time + shift) }
      if !part.samples.isEmpty { endTime = max(part.endTime + shift, endTime + 1) }
      for (place, sound) in part.sounds where !sound.samples.isEmpty {
        sounds[place, default: ExportSound()].append(sound, of: number, shift: shift)
      }
    }
    arrange()
  }

  /// The index of a picture's part, or ``inMemory``.
  func part(of picture: Int) -> Int { parts[picture] }

  /// Leaves out what a player could show or play from outside the span: the pictures before its first frame, which
  /// `recoded` replaces together with those after them, and the packets of sound that are not within it.
  ///
  /// - Parameters:
  ///   - recoded: the pictures from the first frame on, whose bytes are in memory. Empty when the movie begins with a
  ///     key frame.
  ///   - duration: the length of the span, in nanoseconds.
  mutating func cut(to duration: Int64, with recoded: [MovieIndex.Sample]) {
    if let last = recoded.last {
      let rest = samples.firstIndex { $0.time > last.time } ?? samples.endIndex
      samples.replaceSubrange(..<rest, with: recoded)
      parts.replaceSubrange(..<rest, with: repeatElement(Self.inMemory, count: recoded.count))
    }
    for place in sounds.keys {
      sounds[place]!.cut(to: duration - startTime)
      if sounds[place]!.samples.isEmpty { sounds[place] = nil }
    }
    arrange()
  }

  /// Puts all samples in their order.
  private mutating func arrange() {
    order = inOrder()
    extents = []
    for placed in order { note(placed) }
  }

  private func inOrder() -> [Placed] {
    let heard = sounds.sorted { $0.key < $1.key }.map(\.value)
    let units = [1_000_000_000] + heard.map(\.rate)
    let counts = [samples.count] + heard.map(\.samples.count)
    var ordered: [Placed] = []
    ordered.reserveCapacity(counts.reduce(0, +))
    var next = counts.map { _ in 0 }
    // No track is copied, because a movie may have a million samples.
    func sample(of track: Int) -> Placed? {
      let index = next[track]
      guard index < counts[track] else { return nil }
      guard track > 0 else { return Placed(track: 0, part: parts[index], sample: samples[index]) }
      let sound = heard[track - 1].samples[index]
      return Placed(track: track, part: sound.part, sample: sound.sample)
    }
    var second = Int64.min
    while true {
      // A second without a sample is passed over.
      let first = units.indices.compactMap { sample(of: $0)?.second(units[$0]) }.min()
      guard let first else { return ordered }
      second = max(second, first)
      for track in units.indices {
        while let placed = sample(of: track), placed.second(units[track]) <= second {
          ordered.append(placed)
          next[track] += 1
        }
      }
    }
  }

  /// The numbers of the parts that have frames of their own. A recording with a pre-roll has frames of the recording
  /// before it too, maybe all of them. Such frames come once: each part ends where the next one begins, which is a key
  /// frame.
  private static func withoutOverlaps(_ numbers: [Int], of parts: [Part]) -> [Int] {
    var (needed, newest) = ([Int](), Int64.min)
    for number in numbers {
      // Parts are compared by the time of their last frame and not by their end, because how long the last frame is
      // shown is only an estimate.
      let last = parts[number].position + parts[number].samples.last!.time
      guard needed.isEmpty || last > newest + rounding else { continue }
      needed.append(number)
      newest = last
    }
    return needed
  }

  /// By how much the times of one frame in two recordings differ at most: by two ticks of 90 kHz, which older files
  /// count. Two frames of a camera are never so near.
  private static let rounding: Int64 = 22_223

  private mutating func append(_ sample: MovieIndex.Sample, of part: Int, at time: Int64) {
    var sample = sample
    parts.append(part)
    // The muxer takes no two samples of the same tick.
    sample.time = samples.last.map { max($0.time + MovieIndex.tick, time) } ?? time
    samples.append(sample)
    endTime = sample.time
  }

  /// Notes where the bytes of the next sample lie.
  private mutating func note(_ placed: Placed) {
    let (part, sample) = (placed.part, placed.sample)
    if let last = extents.last, last.part == part, last.offset + last.count == sample.offset {
      extents[extents.count - 1].count += UInt64(sample.count)
    } else {
      extents.append(Extent(part: part, offset: sample.offset, count: UInt64(sample.count)))
    }
  }
}

extension ExportPlan.Placed {
  /// The second in which the sample lies.
  fileprivate func second(_ unitsPerSecond: Int64) -> Int64 {
    let time = sample.time
    return time >= 0 ? time / unitsPerSecond : -((-time + unitsPerSecond - 1) / unitsPerSecond)
  }
}

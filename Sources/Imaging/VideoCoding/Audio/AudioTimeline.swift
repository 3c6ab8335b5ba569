package import CaptureCore
package import SystemClocks

/// Decides which sound of a microphone belongs to a movie, and where it lies in it. A value.
///
/// The movie consists of sections, each of which begins with a frame that does not continue the movie, as after a
/// pause. Sound belongs to the movie from the first frame of a section to the end of the newest one. Sound that comes
/// before the frame of its time waits, and sound that comes after it still finds its section. Where a microphone gives
/// nothing for a while, the movie has silence, so that a track never is long behind the pictures, and ends with them.
struct AudioTimeline: Sendable {
  /// How long sound waits for a frame, in nanoseconds, where frames do not take longer themselves.
  static let longestWait: UInt64 = 2_000_000_000
  /// The longest that sound waits for a frame, in nanoseconds.
  static let mostWait: UInt64 = 60_000_000_000
  /// How far silence stays behind the pictures, in nanoseconds, so that sound that comes late is heard.
  static let latency: UInt64 = 1_000_000_000

  /// By how much sound that is on its way is behind the pictures at most, in nanoseconds. Where a movie ends and the
  /// sound is further behind, none is on its way.
  static let usualDelay: UInt64 = 250_000_000

  /// The most sections for which sound may still come.
  static let maximumSections = 16

  private struct Section {
    let start: MonotonicInstant
    /// When the section begins in the movie, in nanoseconds.
    let time: UInt64
    /// The end of the newest frame.
    var end: MonotonicInstant

    /// Where an instant of the section lies in the movie, in nanoseconds.
    func time(of instant: MonotonicInstant) -> UInt64 { time + instant.nanoseconds(since: start) }
  }

  private let track: Int
  private let format: AudioFormat
  /// The newest section, and those before it that sound may still come for.
  private var sections: [Section] = []
  /// Sound that no section has yet, in order, from ``firstWaiting`` on.
  private var waiting: [AudioBlock] = []
  private var firstWaiting = 0
  /// How long sound waits for a frame, and how far it may be behind the pictures before there is silence in its place,
  /// in nanoseconds.
  private var wait = AudioTimeline.longestWait
  private var newestFrame: MonotonicInstant?
  /// The end of the newest sound that was looked at.
  private var heard = MonotonicInstant.epoch
  /// How far the movie has sound, in nanoseconds from its start.
  private var covered: UInt64 = 0

  /// - Parameters:
  ///   - track: the index of the track.
  ///   - format: the form of the track. Blocks may have other forms, which their pieces then have too.
  init(track: Int, format: AudioFormat) {
    self.track = track
    self.format = format
  }

  /// Notes a frame of the movie.
  ///
  /// - Parameters:
  ///   - stamp: the frame's time stamp.
  ///   - time: the frame's time in the movie, in nanoseconds.
  ///   - period: the time for which the frame is shown, in nanoseconds.
  ///   - continues: whether the movie goes on from the frame before without a cut.
  /// - Returns: the pieces of sound that belong to the movie now.
  mutating func place(
    _ stamp: MonotonicInstant, at time: UInt64, period: UInt64, continues: Bool
  ) -> [AudioPiece] {
    let distance = continues ? newestFrame.map { stamp.nanoseconds(since: $0) } ?? 0 : 0
    wait = min(max(Self.longestWait, 2 * max(period, distance)), Self.mostWait)
    newestFrame = stamp
    if continues, let last = sections.indices.last {
      sections[last].end = stamp + period
    } else {
      sections.append(Section(start: stamp, time: time, end: stamp + period))
    }
    return take() + fill()
  }

  /// Takes the next sound of the microphone.
  ///
  /// - Parameter isPast: whether the sound waits for its frames however old it is, as that of a pre-roll or a writer.
  /// - Returns: the pieces of sound that belong to the movie now.
  mutating func add(_ block: AudioBlock, isPast: Bool = false) -> [AudioPiece] {
    guard block.count > 0 else { return [] }
    waiting.append(block)
    let pieces = take()
    guard !isPast else { return pieces }
    // Without frames for a while, the camera has stopped, or the recording is paused.
    let old = waiting[firstWaiting...].prefix { $0.end + wait < block.end }.count
    forget(old)
    return pieces
  }

  /// Forgets the first of the sound that waits. The memory moves only now and then.
  private mutating func forget(_ count: Int) {
    firstWaiting += count
    guard firstWaiting == waiting.count || firstWaiting >= 256 else { return }
    waiting.removeFirst(firstWaiting)
    firstWaiting = 0
  }

  /// Takes out the sound that has a place, and the sound that will have none.
  private mutating func take() -> [AudioPiece] {
    guard let newest = sections.last else { return [] }
    var pieces: [AudioPiece] = []
    while firstWaiting < waiting.count, waiting[firstWaiting].time < newest.end {
      let block = waiting[firstWaiting]
      heard = min(block.end, newest.end)
      for section in sections { if let piece = piece(of: block, in: section) { pieces.append(piece) } }
      if block.end > newest.end, let rest = block.from(newest.end) {
        waiting[firstWaiting] = rest
        break
      }
      forget(1)
    }
    forgetSections()
    for piece in pieces { covered = max(covered, piece.time + piece.format.nanoseconds(ofSamples: piece.count)) }
    return pieces
  }

  /// Sound comes in order, so none will come for what lies before the newest.
  private mutating func forgetSections() {
    let last = sections.count - 1
    sections = sections.enumerated().filter { index, section in
      index == last || (section.end > heard && index + Self.maximumSections > last)
    }.map(\.element)
  }

  private func piece(of block: AudioBlock, in section: Section) -> AudioPiece? {
    let first = block.index(of: section.start)
    let last = block.index(of: section.end)
    guard first < last else { return nil }
    let format = block.format
    let start = block.time + format.nanoseconds(ofSamples: first)
    return AudioPiece(
      track: track, time: section.time(of: max(start, section.start)), format: format,
      samples: block.samples[first * format.channelCount..<last * format.channelCount],
      silentCount: min(block.silentCount, last - first))
  }

  /// Notes that a movie or a part of it ends with the newest frame. Sound that has not come is too late then.
  ///
  /// - Returns: the silence up to there, unless only sound is missing that is on its way.
  mutating func end() -> [AudioPiece] { fill(from: Self.usualDelay, leaving: 0) }

  /// Silence for what the microphone did not give.
  private mutating func fill() -> [AudioPiece] { fill(from: wait, leaving: Self.latency) }

  /// Fills up the track when it is further behind the pictures than a time, but for a rest.
  ///
  /// - Returns: a piece without samples at the end of the silence, before which the track's coder puts in what is
  ///   missing.
  private mutating func fill(from delay: UInt64, leaving rest: UInt64) -> [AudioPiece] {
    guard let section = sections.last else { return [] }
    let end = section.time(of: section.end)
    guard end > covered + delay else { return [] }
    covered = end - rest
    return [AudioPiece(track: track, time: covered, format: format, samples: [], silentCount: 0)]
  }
}

extension AudioBlock {
  /// The index of the first sample at or after an instant, within 0 and the number of samples.
  fileprivate func index(of instant: MonotonicInstant) -> Int {
    min(count, format.samples(in: instant.nanoseconds(since: time)))
  }

  /// The part from an instant on. Nil when nothing is left.
  fileprivate func from(_ instant: MonotonicInstant) -> AudioBlock? {
    let index = index(of: instant)
    guard index < count else { return nil }
    return AudioBlock(
      format: format, time: time + format.nanoseconds(ofSamples: index),
      samples: Array(samples[(index * format.channelCount)...]), silentCount: min(silentCount, count - index))
  }
}

/// The sound of all tracks of a movie; see ``AudioTimeline``. A value.
package struct AudioTimelines: Sendable {
  private let inputs: [String]
  private var timelines: [AudioTimeline]

  /// - Parameter tracks: the microphones, in the order of the tracks.
  package init(_ tracks: [AudioConnection]) {
    inputs = tracks.map(\.input)
    timelines = tracks.enumerated().map { AudioTimeline(track: $0, format: $1.format) }
  }

  /// Notes a frame of the movie; see ``AudioTimeline/place(_:at:period:continues:)``.
  package mutating func place(
    _ stamp: MonotonicInstant, at time: UInt64, period: UInt64, continues: Bool
  ) -> [AudioPiece] {
    var pieces: [AudioPiece] = []
    for index in timelines.indices {
      pieces += timelines[index].place(stamp, at: time, period: period, continues: continues)
    }
    return pieces
  }

  /// Notes that a movie or a part of it ends with the newest frame; see ``AudioTimeline/end()``.
  package mutating func end() -> [AudioPiece] { timelines.indices.flatMap { timelines[$0].end() } }

  /// Takes the next sound of an input. Sound of an input without a track has no place.
  ///
  /// - Parameter isPast: as for ``AudioTimeline/add(_:isPast:)``.
  package mutating func add(_ block: AudioBlock, of input: String, isPast: Bool = false) -> [AudioPiece] {
    guard let index = inputs.firstIndex(of: input) else { return [] }
    return timelines[index].add(block, isPast: isPast)
  }
}

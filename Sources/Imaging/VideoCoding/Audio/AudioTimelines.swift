package import CaptureCore
package import SystemClocks

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

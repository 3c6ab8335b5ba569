internal import CaptureCore

/// How long the last photos took to be made, by quality and by how many frames they were to be made of: the work is in
/// proportion to those, and under pressure there are fewer. Merging exposures is other work than merging frames. A value.
struct ProcessingTimes: Hashable, Sendable {
  private struct Kind: Hashable, Sendable {
    var quality: PhotoQuality
    var frames: Int
    var mergesBracket: Bool
  }
  /// Photos of each kind that count: enough to see the spread, few enough to follow a change.
  private static let kept = 8

  private var durations: [Kind: [UInt64]] = [:]

  /// The shortest and the longest, nanoseconds; nil before the first.
  func range(of quality: PhotoQuality, frames: Int, mergesBracket: Bool) -> ClosedRange<UInt64>? {
    let kept = durations[Kind(quality: quality, frames: frames, mergesBracket: mergesBracket)]
    guard let shortest = kept?.min(), let longest = kept?.max() else { return nil }
    return shortest...longest
  }

  mutating func add(_ nanoseconds: UInt64, of quality: PhotoQuality, frames: Int, mergesBracket: Bool) {
    let kind = Kind(quality: quality, frames: frames, mergesBracket: mergesBracket)
    durations[kind, default: []].append(nanoseconds)
    if durations[kind]!.count > Self.kept { durations[kind]!.removeFirst() }
  }
}

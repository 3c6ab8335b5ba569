internal import CaptureCore

/// How many frames a photo is to be made of, and how long the last such photos took. A value.
///
/// Times are kept by quality and number of frames, because the work is in proportion to the frames, and under pressure
/// there are fewer of them. Merging exposures is other work than merging frames, so its times are kept apart.
struct ProcessingForecast: Sendable {
  /// What is expected of one photo.
  struct Estimate: Hashable, Sendable {
    /// The frames that the photo is to be made of.
    var frameCount: Int
    /// The shortest and the longest time of the last such photos, in nanoseconds; nil before the first of them.
    var nanoseconds: ClosedRange<UInt64>?
  }

  private struct Kind: Hashable, Sendable {
    var quality: PhotoQuality
    var frames: Int
    var mergesBracket: Bool
  }

  /// How many durations the forecast keeps for each kind of photo: enough to show how far they vary, and few enough to
  /// follow when the machine becomes slower or faster.
  private static let kept = 8

  private let frameCount: @Sendable (PhotoQuality) -> Int
  private var durations: [Kind: [UInt64]] = [:]

  /// - Parameter frameCount: returns how many frames a photo with this quality is made of when the ring has enough
  ///   frames.
  init(frameCount: @escaping @Sendable (PhotoQuality) -> Int) { self.frameCount = frameCount }

  /// Estimates how many frames the photo of `request` with `quality` will be made of, and how long making it will take.
  ///
  /// - Parameter limit: the most frames that are merged. A merged bracket has a number of its own.
  func estimate(_ request: PhotoRequest, _ quality: PhotoQuality, limit: Int) -> Estimate {
    let frames = request.exposure.mergesBracket ? request.exposure.bracket.count : min(frameCount(quality), limit)
    let kept = durations[Kind(quality: quality, frames: frames, mergesBracket: request.exposure.mergesBracket)]
    guard let shortest = kept?.min(), let longest = kept?.max() else { return Estimate(frameCount: frames) }
    return Estimate(frameCount: frames, nanoseconds: shortest...longest)
  }

  /// Counts a photo that took `nanoseconds`, and that was to be made of `frames` frames.
  mutating func add(_ nanoseconds: UInt64, _ request: PhotoRequest, _ quality: PhotoQuality, frames: Int) {
    let kind = Kind(quality: quality, frames: frames, mergesBracket: request.exposure.mergesBracket)
    durations[kind, default: []].append(nanoseconds)
    if durations[kind]!.count > Self.kept { durations[kind]!.removeFirst() }
  }
}

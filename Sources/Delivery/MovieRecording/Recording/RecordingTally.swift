public import CaptureCore

/// What a recording has so far.
public struct RecordingTally: Hashable, Sendable {
  /// The number of frames that play: those of the whole fragments of the file.
  public var frames: UInt64 = 0
  /// The frames that the movie lacks, by cause. `late` are those for which the encoder or the disk was too slow.
  public var dropped = DropCounts()
  /// The number of bytes of the file that play.
  public var fileSize: UInt64 = 0

  /// How much of each track of sound is silence in the place of sound that was lost, in nanoseconds. Empty until
  /// something plays.
  public var silence: [UInt64] = []

  /// Where each track of sound that plays ends, in nanoseconds. Empty until something plays.
  var soundEnds: [UInt64] = []

  /// A recording that has nothing.
  public init() {}

  /// Notes what plays of the file, and counts the bytes that are new.
  ///
  /// - Parameter silence: as ``silence``.
  mutating func note(_ file: MovieFile, silence: [UInt64], _ counters: RecordingCounters) {
    counters.count(bytes: file.size - min(file.size, fileSize))
    (fileSize, frames, self.silence) = (file.size, file.sampleCount, silence)
    soundEnds = file.playableSoundEnds
  }
}

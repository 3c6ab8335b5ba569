internal import CaptureCore

/// A piece of sound with its place in a movie.
struct AudioPiece: Sendable {
  /// The index of the track.
  var track: Int
  /// When the first sample is heard, in nanoseconds from the start of the movie.
  var time: UInt64
  /// The samples, interleaved as in ``AudioBlock``.
  var samples: ArraySlice<Float>
  /// How many samples of each channel are silence for sound that was lost.
  var silentCount: Int

  /// Whether the sound was kept for a pre-roll, so that it waits for the disk even when much else does.
  var isPast = false

  /// The memory of the samples, in bytes.
  var byteCount: Int { samples.count * MemoryLayout<Float>.stride }
}

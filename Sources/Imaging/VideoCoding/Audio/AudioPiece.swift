/// A piece of sound with its place in a movie.
package struct AudioPiece: Sendable {
  /// The index of the track.
  package var track: Int
  /// When the first sample is heard, in nanoseconds from the start of the movie.
  package var time: UInt64
  /// The samples, interleaved one of each channel, then the next one of each channel.
  package var samples: ArraySlice<Float>
  /// How many samples of each channel are silence for sound that was lost.
  package var silentCount: Int

  /// Whether the sound was kept for a pre-roll, so that it waits for the disk even when much else does.
  package var isPast = false

  /// The memory of the samples, in bytes.
  package var byteCount: Int { samples.count * MemoryLayout<Float>.stride }
}

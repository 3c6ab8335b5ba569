package import CaptureCore

/// A piece of sound with its place in a movie.
package struct AudioPiece: Sendable {
  /// The index of the track.
  package var track: Int
  /// When the first sample is heard, in nanoseconds from the start of the movie.
  package var time: UInt64
  /// The form of the samples. The track may have another one; see ``AudioConversion``.
  package var format: AudioFormat
  /// The samples, interleaved one of each channel, then the next one of each channel.
  package var samples: ArraySlice<Float>
  /// How many samples of each channel are silence for sound that was lost.
  package var silentCount: Int

  /// Where the sound comes from.
  package var origin = AudioOrigin.microphone

  /// The number of samples of each channel.
  var count: Int { samples.count / format.channelCount }

  /// The memory of the samples, in bytes.
  package var byteCount: Int { samples.count * MemoryLayout<Float>.stride }
}

/// Where sound comes from, which decides what becomes of it while much waits for the disk.
package enum AudioOrigin: Sendable {
  /// A microphone, which never waits: its sound is left out then.
  case microphone
  /// A pre-roll, which has a bound of its own: its sound waits, and takes no room from what follows.
  case preRoll
  /// A writer, which takes sound only while there is room: what it took waits, and takes room from what follows.
  case writer
}

package import CaptureCore

/// The tracks of sound of a movie while it is written. Thread-bound: only the thread that writes uses it.
///
/// Coded sound waits for the picture after it, so that a file has both in the order of their times, and so that sound
/// lies in the segment of its picture.
package final class AudioTracks {
  /// The memory for coded sound that waits for its picture, in bytes: more than a minute of four tracks, as pre-rolls
  /// need. Each packet takes a page.
  private static let memory = 64 << 20

  private let coders: [AudioTrackCoder]
  /// Coded sound that no picture has followed, in the order of the times of each track.
  private var waiting: [(sample: MovieSample, track: Int)] = []

  /// - Parameter bitRate: bits per second of each track; nil for a usual rate.
  /// - Throws: `formatNotSupported` when the codec does not take the format of a track on this machine.
  package init(_ codec: AudioCodec, _ connections: [AudioConnection], bitRate: Int? = nil) throws(CaptureError) {
    let pool = FramePool(budget: Self.memory)
    var coders: [AudioTrackCoder] = []
    for connection in connections {
      coders.append(try AudioTrackCoder(codec, connection.format, bitRate: bitRate, pool: pool))
    }
    self.coders = coders
  }

  /// What files say of the tracks.
  package var tracks: [MovieTrack] { coders.map(\.track) }

  /// How much of each track is silence for sound that was lost, in nanoseconds.
  package var silence: [UInt64] { coders.map(\.silence) }

  /// Takes a piece of sound.
  ///
  /// - Throws: `processingFailed` when the encoder fails.
  package func add(_ piece: AudioPiece) throws(CaptureError) {
    waiting += try coders[piece.track].code(piece).map { ($0, piece.track) }
  }

  /// Takes out the sound that begins before a picture.
  ///
  /// - Parameter time: when the picture is shown, in nanoseconds.
  package func take(before time: UInt64) -> [(sample: MovieSample, track: Int)] {
    let ready = waiting.filter { $0.sample.presentationTime < time }
    guard !ready.isEmpty else { return [] }
    waiting.removeAll { $0.sample.presentationTime < time }
    return ready
  }

  /// Takes out the rest of the sound, after the last picture.
  ///
  /// - Throws: `processingFailed` when the encoder fails.
  package func finish() throws(CaptureError) -> [(sample: MovieSample, track: Int)] {
    for (index, coder) in coders.enumerated() { waiting += try coder.finish().map { ($0, index) } }
    return take(before: .max)
  }
}

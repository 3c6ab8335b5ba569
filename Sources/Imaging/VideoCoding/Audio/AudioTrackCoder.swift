package import CaptureCore

/// Codes the pieces of sound of one track. Thread-bound: only the thread that writes uses it.
///
/// The track begins at the start of the movie and has no gaps: where no piece comes there is silence, and of pieces
/// that overlap the first one is heard.
final class AudioTrackCoder {
  /// Pieces that are nearer than this to their place, in nanoseconds, are not moved. The times of a camera's frames and
  /// of its sound are rounded.
  private static let tolerance: UInt64 = 1_000_000
  /// The most silence that is made at once, in seconds.
  private static let secondsAtOnce = 1

  /// The track of the samples.
  var track: MovieTrack { encoder.track }
  /// How much of the track is silence for sound that was lost, or is missing because memory was used up, in
  /// nanoseconds.
  var silence: UInt64 { encoder.format.nanoseconds(ofSamples: silentCount + encoder.lostCount) }
  private let encoder: AudioEncoder
  private let conversion: AudioConversion
  /// The number of samples of each channel so far.
  private var count = 0
  private var silentCount = 0

  /// - Throws: `formatNotSupported` when the codec does not take the format on this machine.
  init(_ codec: AudioCodec, _ format: AudioFormat, bitRate: Int?, pool: FramePool) throws(CaptureError) {
    encoder = try AudioEncoder(codec, format, bitRate: bitRate, pool: pool)
    conversion = AudioConversion(to: format)
  }

  /// Codes the next piece, whatever its form is.
  ///
  /// - Returns: the samples that are ready.
  /// - Throws: `processingFailed` when the encoder or the resampler fails.
  func code(_ piece: AudioPiece) throws(CaptureError) -> [MovieSample] {
    try place(try conversion.convert(piece))
  }

  /// The samples that are still to come after the last piece.
  func finish() throws(CaptureError) -> [MovieSample] {
    try place(try conversion.finish()) + encoder.finish()
  }

  private func place(_ pieces: [AudioPiece]) throws(CaptureError) -> [MovieSample] {
    var coded: [MovieSample] = []
    for piece in pieces { coded += try place(piece) }
    return coded
  }

  /// Codes a piece of the track's form at its time.
  private func place(_ piece: AudioPiece) throws(CaptureError) -> [MovieSample] {
    let format = encoder.format
    let place = format.samples(in: piece.time)
    let tolerance = format.samples(in: Self.tolerance)
    var samples = piece.samples
    var coded: [MovieSample] = []
    if place > count + tolerance {
      silentCount += place - count
      while place > count { coded += try code(silence: min(place - count, Self.secondsAtOnce * format.sampleRate)) }
    } else if place + tolerance < count {
      samples = samples.dropFirst((count - place) * format.channelCount)
    }
    guard !samples.isEmpty else { return coded }
    silentCount += min(piece.silentCount, samples.count / format.channelCount)
    return try coded + code(samples)
  }

  private func code(silence count: Int) throws(CaptureError) -> [MovieSample] {
    try code(Array(repeating: 0, count: count * encoder.format.channelCount)[...])
  }

  private func code(_ samples: ArraySlice<Float>) throws(CaptureError) -> [MovieSample] {
    count += samples.count / encoder.format.channelCount
    return try encoder.encode(samples)
  }
}

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

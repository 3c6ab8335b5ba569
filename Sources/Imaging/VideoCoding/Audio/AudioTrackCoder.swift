internal import CaptureCore

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

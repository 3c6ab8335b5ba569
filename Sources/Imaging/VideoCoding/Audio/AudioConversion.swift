internal import CVideoCoding
internal import CaptureCore

/// Gives pieces of sound the form of their track. A track keeps its form while it is written, but a microphone may come
/// later and have another form. Thread-bound: only the thread that writes uses it.
final class AudioConversion {
  /// Pieces that are nearer than this to the end of the piece before follow it, in nanoseconds.
  private static let tolerance: UInt64 = 1_000_000

  private let format: AudioFormat
  /// Resamples pieces that follow one another; nil while nothing is resampled.
  private var run: ResampledRun?

  /// - Parameter format: the form of the track.
  init(to format: AudioFormat) { self.format = format }

  /// Converts the next piece. A resampler keeps the end of a piece until the next one comes.
  ///
  /// - Returns: what is ready, in order.
  /// - Throws: `processingFailed` when the resampler fails.
  func convert(_ piece: AudioPiece) throws(CaptureError) -> [AudioPiece] {
    var mapped = piece
    mapped.samples = piece.samples(ofChannels: format.channelCount)
    mapped.format.channelCount = format.channelCount
    guard mapped.format != format else { return try finish() + [mapped] }
    var ready: [AudioPiece] = []
    let follows = run.map { $0.input == mapped.format && $0.end.distance(to: mapped.time) < Self.tolerance } ?? false
    if !follows { ready += try finish() }
    let current: ResampledRun
    if let run { current = run } else { current = try ResampledRun(from: mapped, to: format) }
    run = current
    return ready + [try current.convert(mapped)]
  }

  /// Ends the sound, or a part of it that has no successor.
  ///
  /// - Returns: what the resampler still had.
  /// - Throws: `processingFailed` when the resampler fails.
  func finish() throws(CaptureError) -> [AudioPiece] {
    guard let ended = run else { return [] }
    run = nil
    return [try ended.finish()]
  }
}

/// Pieces without a gap that are resampled.
private final class ResampledRun {
  /// The form of the pieces.
  let input: AudioFormat
  private let output: AudioFormat
  private let resampler: AudioResampler
  /// The first piece, without its samples.
  private let first: AudioPiece
  /// The numbers of samples of each channel that were taken, and that came out.
  private var (taken, given) = (0, 0)

  init(from first: AudioPiece, to output: AudioFormat) throws(CaptureError) {
    input = first.format
    self.output = output
    resampler = try AudioResampler(
      channelCount: output.channelCount, from: input.sampleRate, to: output.sampleRate)
    var empty = first
    empty.samples = []
    self.first = empty
  }

  /// Where the next piece begins, in nanoseconds from the start of the movie.
  var end: UInt64 { first.time + input.nanoseconds(ofSamples: taken) }

  func convert(_ piece: AudioPiece) throws(CaptureError) -> AudioPiece {
    taken += piece.count
    var made = make(try resampler.convert(piece.samples))
    made.silentCount = output.samples(in: input.nanoseconds(ofSamples: piece.silentCount))
    return made
  }

  func finish() throws(CaptureError) -> AudioPiece { make(try resampler.finish()) }

  private func make(_ samples: [Float]) -> AudioPiece {
    let time = first.time + output.nanoseconds(ofSamples: given)
    given += samples.count / output.channelCount
    return AudioPiece(
      track: first.track, time: time, format: output, samples: samples[...], silentCount: 0, origin: first.origin)
  }
}

extension AudioPiece {
  /// The samples for another number of channels. One channel goes to all others, and all go to a single one in equal
  /// parts. Otherwise each channel stays what it is, and those that are missing are silent.
  fileprivate func samples(ofChannels wanted: Int) -> ArraySlice<Float> {
    let present = format.channelCount
    guard wanted != present else { return samples }
    var mapped: [Float] = []
    mapped.reserveCapacity(count * wanted)
    for start in stride(from: samples.startIndex, to: samples.endIndex, by: present) {
      let moment = samples[start..<start + present]
      if wanted == 1 {
        mapped.append(moment.reduce(0, +) / Float(present))
      } else {
        for channel in 0..<wanted {
          mapped.append(present == 1 ? moment[start] : channel < present ? moment[start + channel] : 0)
        }
      }
    }
    return mapped[...]
  }
}

extension UInt64 {
  /// How far apart two times are.
  fileprivate func distance(to other: UInt64) -> UInt64 { self < other ? other - self : self - other }
}

/// Gives sound another rate with libswresample. Thread-bound: only one thread may use a resampler.
final class AudioResampler {
  private let handle: OpaquePointer
  private let channelCount: Int

  /// - Throws: `processingFailed` when libswresample refuses.
  init(channelCount: Int, from input: Int, to output: Int) throws(CaptureError) {
    let (handle, cause) = withMessage {
      cvideo_resampler_create(Int32(channelCount), Int32(input), Int32(output), $0)
    }
    guard let handle else { throw Self.failure(cause) }
    self.handle = handle
    self.channelCount = channelCount
  }

  deinit { cvideo_resampler_destroy(handle) }

  /// Converts the next samples, interleaved. The first sample that comes out lies at the time of the first one that
  /// went in; the newest ones come with the next call.
  ///
  /// - Throws: `processingFailed` when libswresample fails.
  func convert(_ samples: ArraySlice<Float>) throws(CaptureError) -> [Float] {
    let count = samples.count / channelCount
    guard count > 0 else { return [] }
    return try samples.withUnsafeBufferPointer { samples throws(CaptureError) in
      try convert(samples.baseAddress, count)
    }
  }

  /// The samples that are still to come. Nothing may follow.
  ///
  /// - Throws: `processingFailed` when libswresample fails.
  func finish() throws(CaptureError) -> [Float] { try convert(nil, 0) }

  private func convert(_ samples: UnsafePointer<Float>?, _ count: Int) throws(CaptureError) -> [Float] {
    let capacity = max(1, cvideo_resampler_capacity(handle, Int32(count)))
    var result: Int32 = 0
    let converted = [Float](unsafeUninitializedCapacity: Int(capacity) * channelCount) { output, written in
      result = cvideo_resampler_convert(handle, samples, Int32(count), output.baseAddress!, capacity)
      written = Int(max(0, result)) * channelCount
    }
    guard result >= 0 else { throw Self.failure("error \(result)") }
    return converted
  }

  private static func failure(_ cause: String) -> CaptureError {
    CaptureError(.processingFailed, "Giving sound another rate failed: \(cause).", metadata: ["cause": cause])
  }
}

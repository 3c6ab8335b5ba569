internal import CVideoCoding
internal import CaptureCore

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

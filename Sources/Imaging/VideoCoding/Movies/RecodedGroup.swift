internal import CVideoCoding
public import CaptureCore

/// Pictures of a movie that were encoded anew, so that a movie can begin with a picture that was no key frame.
public struct RecodedGroup: Sendable {
  /// The constant rate factor of x264 and x265, at which people see no difference.
  static let quantizer = 18

  /// What a movie tells of these samples and of others of the old track.
  public let track: MovieTrack
  /// The bytes of the samples.
  public let bytes: [UInt8]
  /// The samples with the times of their pictures. Their offsets count in ``bytes``.
  public let samples: [MovieIndex.Sample]

  /// Encodes pictures anew, with x264 or x265. Blocks for about 15 ms for each picture of 1080p in H.264, and 70 ms in
  /// HEVC. The same arguments give the same bytes.
  ///
  /// - Parameters:
  ///   - track: the track of the pictures, from a ``MovieIndex``, in H.264 or HEVC.
  ///   - group: the samples from a key frame on to the last one that is wanted, in the order of their times.
  ///   - first: the index of the first sample that is wanted.
  ///   - read: returns the bytes of a sample.
  ///   - next: returns the key frame that follows in the movie, or nil when none follows. Called when it cannot stay
  ///     as it is, so that it comes among the samples.
  /// - Throws: `processingFailed` for another codec, when the encoder is not installed, when a picture cannot be
  ///   decoded, and when the new bytes are more than 128 MiB; what `read` and `next` throw.
  public init(
    _ track: MovieTrack, _ group: [MovieIndex.Sample], from first: Int,
    read: (MovieIndex.Sample) throws(CaptureError) -> [UInt8],
    next: () throws(CaptureError) -> (sample: MovieIndex.Sample, bytes: [UInt8])?
  ) throws(CaptureError) {
    var bytes: [UInt8] = []
    for sample in group { bytes += try read(sample) }
    let inC = group.map { cvideo_group_sample(time: $0.time, count: $0.count, is_key_frame: $0.isKeyFrame) }
    var made = cvideo_group()
    let (result, cause) = withExtendedLifetime(track) {
      withMessage {
        cvideo_group_encode(track.handle, inC, inC.count, bytes, first, Int32(Self.quantizer), &made, $0)
      }
    }
    defer { cvideo_group_free(&made) }
    guard result == CVIDEO_OK, let handle = made.track else {
      throw CaptureError(
        .processingFailed,
        "The pictures before the first key frame of the span cannot be encoded anew: \(cause); ask for a movie that is "
          + "not exact.", metadata: ["cause": cause])
    }
    self.track = MovieTrack(track.media, owning: handle)
    made.track = nil
    bytes = Array(UnsafeBufferPointer(start: made.bytes, count: made.byte_count))
    var samples: [MovieIndex.Sample] = []
    var offset: UInt64 = 0
    for sample in UnsafeBufferPointer(start: made.samples, count: made.sample_count) {
      samples.append(
        MovieIndex.Sample(offset: offset, count: sample.count, time: sample.time, isKeyFrame: sample.is_key_frame))
      offset += UInt64(sample.count)
    }
    if made.old_set_count > 0, let next = try next() {
      let whole = Array(UnsafeBufferPointer(start: made.old_sets, count: made.old_set_count)) + next.bytes
      samples.append(
        MovieIndex.Sample(offset: offset, count: UInt32(whole.count), time: next.sample.time, isKeyFrame: true))
      bytes += whole
    }
    self.bytes = bytes
    self.samples = samples
  }
}

/// What libavcodec's parser finds in a sample of H.264. A value.
public struct ParsedAccessUnit: Hashable, Sendable {
  /// The size of the picture as it is shown. Nil when the sample has no picture, or none that its parameter sets allow.
  public let size: Size?
  /// Whether the sample has more than one access unit.
  public let hasAnother: Bool

  /// Parses a sample in Annex B, without decoding it.
  ///
  /// - Parameters:
  ///   - bytes: the sample.
  ///   - parameterSets: those of earlier samples, in Annex B.
  /// - Throws: `processingFailed` when libavcodec cannot be used.
  public init(_ bytes: UnsafeRawBufferPointer, after parameterSets: [UInt8]) throws(CaptureError) {
    var unit = cvideo_access_unit()
    let result = parameterSets.withUnsafeBufferPointer { sets in
      cvideo_parse_access_unit(
        sets.baseAddress, sets.count, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, &unit)
    }
    guard result == CVIDEO_OK else {
      throw CaptureError(
        .processingFailed, "libavcodec cannot parse H.264: it is not installed, or memory is short.",
        metadata: ["cause": "libavcodec"])
    }
    size = unit.width > 0 && unit.height > 0 ? Size(width: Int(unit.width), height: Int(unit.height)) : nil
    hasAnother = unit.has_another
  }
}

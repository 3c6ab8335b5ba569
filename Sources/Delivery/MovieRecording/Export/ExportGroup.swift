internal import CaptureCore
internal import VideoCoding

/// The pictures with which the movie of a span begins and that are no key frames, encoded anew. Without the pictures
/// before the span nothing could decode them, and with those in the file, a player that ignores edit lists shows them.
struct ExportGroup: Sendable {
  /// The pictures, in the file of a recording.
  struct Place: Hashable, Sendable {
    let source: MovieExport.Source
    /// The samples from the key frame before the span on to the last one before the next key frame.
    let samples: [MovieIndex.Sample]
    /// The index of the first sample that the movie shows.
    let first: Int
    /// The next key frame of the movie, and the file that it is in. Nil when none follows.
    let next: MovieIndex.Sample?
    let nextSource: MovieExport.Source?
  }

  let place: Place
  let recoded: RecodedGroup

  /// Encodes the pictures anew. Blocks.
  ///
  /// - Parameter track: the track of the recording.
  /// - Throws: as ``RecodedGroup``; what opening and reading the file throws.
  init(_ place: Place, of track: MovieTrack, in store: RecordingStore) throws(CaptureError) {
    self.place = place
    let file = try Self.open(place.source, in: store)
    recoded = try RecodedGroup(track, place.samples, from: place.first) { (sample) throws(CaptureError) in
      try Self.read(sample, in: file)
    } next: { () throws(CaptureError) in
      guard let next = place.next, let source = place.nextSource else { return nil }
      let bytes = try Self.read(next, in: source == place.source ? file : try Self.open(source, in: store))
      return (next, bytes)
    }
  }

  private static func open(
    _ source: MovieExport.Source, in store: RecordingStore
  ) throws(CaptureError) -> RecordingFile {
    let file = try store.openAndWait(source.recording)
    guard file.isOptimizedForNetworkUse == source.isOptimizedForNetworkUse else { throw .gotAnotherFile(source) }
    return file
  }

  private static func read(
    _ sample: MovieIndex.Sample, in file: RecordingFile
  ) throws(CaptureError) -> [UInt8] {
    let bytes = try file.readAndWait(at: sample.offset, count: Int(sample.count))
    guard bytes.count == Int(sample.count) else { throw .isShorter }
    return bytes
  }
}

extension ExportPlan {
  /// The pictures that have to be encoded anew so that the movie has nothing from before its first frame. Nil when the
  /// movie begins with a key frame.
  ///
  /// - Parameter sources: the file of each part.
  func leadingGroup(in sources: [MovieExport.Source]) -> ExportGroup.Place? {
    guard let first = samples.firstIndex(where: { $0.time >= 0 }), first > 0 else { return nil }
    // Whatever follows from another recording begins with a key frame, too.
    let end = samples[(first + 1)...].firstIndex(where: \.isKeyFrame) ?? samples.count
    let isFollowed = end < samples.count
    return ExportGroup.Place(
      source: sources[part(of: first)], samples: Array(samples[..<end]), first: first,
      next: isFollowed ? samples[end] : nil, nextSource: isFollowed ? sources[part(of: end)] : nil)
  }
}

extension CaptureError {
  /// A recording got another file, in which the samples lie elsewhere.
  static func gotAnotherFile(_ source: MovieExport.Source) -> CaptureError {
    CaptureError(
      .operationInterrupted,
      "The recording \(source.recording) has finished, and got another file meanwhile; ask for the movie again.",
      metadata: ["recording": source.recording])
  }

  /// A file has less than its index tells.
  static var isShorter: CaptureError {
    CaptureError(.processingFailed, "The file of a recording is shorter than it was.")
  }
}

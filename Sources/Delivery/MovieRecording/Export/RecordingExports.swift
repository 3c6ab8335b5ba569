public import CaptureCore
internal import Locking
internal import SystemClocks
internal import VideoCoding

/// Makes one movie of the recordings of a span of time, without a file. At most the pictures up to the first key frame
/// of the span are encoded anew. Thread-safe.
///
/// A thread of its own makes the movies one after the other, so that the memory for one is enough. The last movies are
/// kept, because a player asks for one movie in many requests.
public final class RecordingExports: Sendable {
  private typealias Kept = (key: Key, movie: MovieExport)

  /// A movie depends on nothing else, because a file only grows, or is replaced once.
  private struct Key: Hashable {
    let span: ExportSpan
    let sizes: [MovieExport.Source: UInt64]
  }

  /// The number of movies that are kept.
  static let maximumKept = 4
  /// The most bytes that these movies have in memory because they were encoded anew, unless the newest one alone has
  /// more.
  static let maximumRecoded = 128 << 20

  private let recordings: Recordings
  private let thread = DiskThread(name: "movie-export")
  private let kept = Locked<[Kept]>([])

  /// Makes movies of these recordings.
  public init(of recordings: Recordings) { self.recordings = recordings }

  /// Opens the movie of a span.
  ///
  /// - Parameter size: the number of bytes of the movie that the client knows; nil is any movie. As long as the movie
  ///   ends where a frame ended, more frames do not change it, and without one of its recordings it is smaller.
  /// - Throws: `invalidArgument` for a span that is too long or of several outputs; `recordingNotFound` when the span
  ///   has no frame that plays; `recordingInProgress` while a movie of the span is in the video storage;
  ///   `recordingNotExportable` when its recordings do not fit into one movie; `formatNotSupported` when libavformat is
  ///   not installed; `processingFailed` when the disk fails.
  public func open(_ span: ExportSpan, size: UInt64? = nil) async throws(CaptureError) -> ExportReader {
    guard (1...ExportSpan.maximumDuration).contains(span.duration) else {
      throw CaptureError(
        .invalidArgument, "duration must be above 0 s and at most \(ExportSpan.maximumDuration / 1_000_000_000) s.",
        field: "duration")
    }
    let records = try await records(in: span)
    if let size, let movie = keptMovie(of: span, size: size, records) {
      return try await ExportReader(movie, recordings)
    }
    let store = try await recordings.store
    let movie = try await thread.perform { [self] () throws(CaptureError) in try make(span, records, store) }
    guard size == nil || size == movie.size else {
      throw CaptureError(
        .recordingNotFound, "The movie of \(size ?? 0) bytes is gone, because a recording of the span was deleted.",
        metadata: ["session": span.session])
    }
    return try await ExportReader(movie, recordings)
  }

  /// The movie of this size, when it was made before and all its recordings are still there. They may have grown.
  private func keptMovie(of span: ExportSpan, size: UInt64, _ records: [RecordingRecord]) -> MovieExport? {
    let present = Set(records.map(MovieExport.Source.init(of:)))
    return kept.withLock { kept in
      kept.first { $0.key.span == span && $0.movie.size == size && present.isSuperset(of: $0.movie.sources) }?.movie
    }
  }

  /// The recordings with a part in the span, in the order of their times.
  private func records(in span: ExportSpan) async throws(CaptureError) -> [RecordingRecord] {
    let store = try await recordings.store
    // The folder learns of what is being recorded only when somebody asks.
    for state in RecordingRecord.State.allCases where state != .finished {
      for record in try await store.records(session: span.session, state: state) {
        if let live = recordings.live(record.id) { store.update(live.record) }
      }
    }
    // Looked at first, because a movie that gets its file meanwhile was not usable.
    let inStorage = store.videoStorage?.movieInside
    let recorded = try await store.records(session: span.session, during: span.times).filter { record in
      record.startTime != nil && (span.output == nil || record.output == span.output)
    }
    if let inStorage, let record = recorded.first(where: { store.path(of: $0) == inStorage }) {
      throw store.catalog.inVideoStorage(record)
    }
    let found = recorded.filter(\.isUsable)
    if Set(found.map(\.output)).count > 1 {
      let names = Set(found.map(\.output)).sorted().joined(separator: ", ")
      throw CaptureError(
        .invalidArgument, "Several outputs recorded in the span; name one: \(names).", metadata: ["outputs": names],
        field: "output")
    }
    return found.sorted { ($0.startTime!, $0.id) < ($1.startTime!, $1.id) }
  }

  /// Makes the movie of these recordings, or finds it. Blocks.
  private func make(
    _ span: ExportSpan, _ records: [RecordingRecord], _ store: RecordingStore
  ) throws(CaptureError) -> MovieExport {
    let sizes = records.map { (MovieExport.Source(of: $0), $0.tally.fileSize) }
    let key = Key(span: span, sizes: Dictionary(sizes) { first, _ in first })
    if let found = kept.withLock({ $0.first { $0.key == key }?.movie }) { return found }
    let groups = kept.withLock { $0.compactMap(\.movie.group) }
    let movie = try ExportBuilder(span: span, store: store, groups: groups).movie(of: records)
    kept.withLock { kept in
      kept = [(key, movie)] + kept.prefix(Self.maximumKept - 1)
      while kept.count > 1, kept.reduce(0, { $0 + $1.movie.recodedCount }) > Self.maximumRecoded { kept.removeLast() }
    }
    return movie
  }
}

extension MovieExport.Source {
  fileprivate init(of record: RecordingRecord) {
    self.init(recording: record.id, isOptimizedForNetworkUse: record.isOptimizedForNetworkUse)
  }
}

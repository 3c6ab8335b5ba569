internal import CaptureCore
internal import SystemClocks
internal import VideoCoding

/// Makes the movie of a span. Blocks: it reads the indexes of the files.
struct ExportBuilder {
  let span: ExportSpan
  let store: RecordingStore
  /// What was encoded anew for earlier movies, of which this one may need the same.
  var groups: [ExportGroup] = []

  /// - Parameter records: the recordings with a part in the span, in the order of their times.
  func movie(of records: [RecordingRecord]) throws(CaptureError) -> MovieExport {
    var (timeline, tracks, parts, used) = (
      RecordingTimeline(), [Int: MovieTrack](), [ExportPlan.Part](), [MovieExport.Source]()
    )
    let duration = MovieIndex.ticks(Int64(span.duration))
    var (frames, packets) = (0, 0)
    for record in records {
      let position = record.place(on: &timeline, from: records[0], in: span)
      guard let (source, index) = try index(of: record) else { continue }
      var part = ExportPlan.Part(
        position: MovieIndex.ticks(position), samples: index.pictures.samples, endTime: index.pictures.endTime,
        sounds: index.sounds.mapValues(ExportSound.Part.init(of:)))
      part.trim(to: duration)
      guard !part.samples.isEmpty else { continue }
      for (place, track) in index.tracks {
        if let former = tracks[place], !former.isEqual(to: track) { throw span.changes(at: record) }
        tracks[place] = track
      }
      parts.append(part)
      used.append(source)
      frames += part.samples.count
      packets += part.sounds.values.reduce(0) { $0 + $1.samples.count }
      guard frames <= ExportSpan.maximumFrames, packets <= ExportSpan.maximumPackets else { throw .tooManyFrames }
    }
    var plan = ExportPlan(parts, duration: duration)
    parts = []
    guard !plan.samples.isEmpty else { throw span.isEmpty }
    let group = try span.isExact ? group(of: plan, in: used, tracks[0]!) : nil
    if let group { tracks[0] = group.recoded.track }
    if span.isExact { plan.cut(to: duration, with: group?.recoded.samples ?? []) }
    let start = span.start + UInt64(max(0, MovieIndex.nanoseconds(plan.startTime)))
    let places = plan.tracks
    let container: MovieContainer = tracks.values.allSatisfy { MovieContainer.mp4.holds($0.media) } ? .mp4 : .mov
    let header = try MovieHeader.bytes(
      container, tracks: places.map { (tracks[$0.place]!, $0.endTime) },
      samples: plan.order.lazy.map { MovieHeader.Sample(track: $0.track, $0.sample) },
      creationTime: Int64(start.nanoseconds / 1000))
    // The bytes follow from the header and the recordings: a frame has the same bytes in both files of a recording.
    let names = used.map(\.recording).joined(separator: " ")
    return MovieExport(
      plan, header: header, container: container, startTime: start, sources: used, group: group,
      tag: Self.tag(header + (group?.recoded.bytes ?? []) + Array(names.utf8)))
  }

  /// The pictures that are encoded anew. Nil for a movie that begins with a key frame.
  private func group(
    of plan: ExportPlan, in sources: [MovieExport.Source], _ track: MovieTrack
  ) throws(CaptureError) -> ExportGroup? {
    guard let place = plan.leadingGroup(in: sources) else { return nil }
    if let made = groups.first(where: { $0.place == place }) { return made }
    return try ExportGroup(place, of: track, in: store)
  }

  /// Finds where the samples of a recording lie, and in which file. Returns nil when nothing of it plays, or when it
  /// was deleted meanwhile.
  private func index(of record: RecordingRecord) throws(CaptureError) -> (MovieExport.Source, MovieIndex)? {
    guard record.container.hasIndex else {
      let name = record.container.rawValue
      throw CaptureError(
        .recordingNotExportable,
        "The recording \(record.id) is in \(name), and only MP4 and QuickTime can be exported; download it by itself.",
        metadata: ["recording": record.id, "container": name])
    }
    do throws(CaptureError) {
      let file = try store.openAndWait(record.id)
      // The file may have been replaced since the record was read.
      let size = file.isOptimizedForNetworkUse ? file.size : record.tally.fileSize
      let index = try file.index(of: record, size: size)
      let source = MovieExport.Source(
        recording: record.id, isOptimizedForNetworkUse: file.isOptimizedForNetworkUse)
      return index.pictures.samples.isEmpty ? nil : (source, index)
    } catch {
      if error.reason == .recordingNotFound || error.reason == .recordingInProgress { return nil }
      throw error
    }
  }

  /// The FNV-1a hash with 64 bits (<http://www.isthe.com/chongo/tech/comp/fnv/>).
  private static func tag(_ bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension MovieIndex {
  /// All tracks, by their places: 0 for the pictures, then those of sound.
  fileprivate var tracks: [(place: Int, track: MovieTrack)] {
    [(0, pictures.track)] + sounds.map { ($0.key + 1, $0.value.track) }
  }
}

extension ExportPlan {
  /// The tracks of the movie in their order, each with its place in the recordings and where its last sample ends.
  fileprivate var tracks: [(place: Int, endTime: Int64)] {
    let heard = sounds.sorted { $0.key < $1.key }.map { (place: $0.key + 1, endTime: $0.value.endTime) }
    return [(place: 0, endTime: endTime)] + heard
  }
}

extension ExportSound.Part {
  fileprivate init(of track: MovieIndex.Track) {
    self.init(samples: track.samples, endTime: track.endTime, rate: track.unitsPerSecond)
  }
}

extension RecordingRecord {
  /// Where the recording's first frame lies, in nanoseconds from the start of the span.
  fileprivate func place(
    on timeline: inout RecordingTimeline, from first: RecordingRecord, in span: ExportSpan
  ) -> Int64 {
    timeline.place(self) + first.startTime!.signedNanoseconds(since: span.start)
  }
}

extension ExportSpan {
  fileprivate var isEmpty: CaptureError {
    CaptureError(
      .recordingNotFound, "The session \(session) has no recorded frame in this time; see ListRecordings.",
      metadata: ["session": session])
  }

  /// The format is another one from this recording on.
  fileprivate func changes(at record: RecordingRecord) -> CaptureError {
    let time = record.startTime!.rfc3339
    return CaptureError(
      .recordingNotExportable,
      "The form of the pictures or of the sound changes at \(time); export what is before and what is after by "
        + "itself.",
      metadata: ["recording": record.id, "format_change_time": time])
  }
}

extension CaptureError {
  fileprivate static var tooManyFrames: CaptureError {
    CaptureError(
      .invalidArgument,
      "The span has more than \(ExportSpan.maximumFrames) frames or \(ExportSpan.maximumPackets) packets of sound; ask "
        + "for a shorter one.",
      field: "duration")
  }
}

internal import CaptureCore
internal import SystemClocks
internal import VideoCoding

/// Makes the movie of a span. Blocks: it reads the indexes of the files.
struct ExportBuilder {
  let span: ExportSpan
  let store: RecordingStore
  /// What was encoded anew for earlier movies, of which this one may need the same.
  var groups: [ExportGroup] = []

  /// - Parameter records: the recordings with a part in the span.
  func movie(of records: [RecordingRecord]) throws(CaptureError) -> MovieExport {
    let duration = Int64(span.duration)
    let loaded = try load(records, until: duration)
    let chosen: [Loaded]
    do throws(ExportChoice.Obstacle) {
      chosen = try ExportChoice(loaded.map { $0.candidate(until: duration) }).chosen().map { loaded[$0] }
    } catch {
      switch error {
      case .difference(let difference, let number): throw span.changes(difference, at: loaded[number].placed)
      case .container(let number): throw span.notExportable(loaded[number].placed.record)
      }
    }
    let (parts, used) = (chosen.compactMap(\.part), chosen.compactMap(\.source))
    var tracks = chosen.reduce(into: [Int: MovieTrack]()) { tracks, loaded in
      tracks.merge(loaded.tracks) { former, _ in former }
    }
    var plan = ExportPlan(parts, duration: duration)
    guard !plan.samples.isEmpty else { throw span.isEmpty }
    let group = try span.isExact ? group(of: plan, in: used, tracks[0]!) : nil
    if let group { tracks[0] = group.recoded.track }
    if span.isExact { plan.cut(to: duration, with: group?.recoded.samples ?? []) }
    let start = span.start + UInt64(max(0, plan.startTime))
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

  private typealias Indexed = (source: MovieExport.Source, index: MovieIndex)

  /// A part of a recording in the span.
  private struct Loaded {
    let placed: RecordingTimeline.Placed
    /// Nil, as `source`, in a container without an index.
    var part: ExportPlan.Part?
    var source: MovieExport.Source?
    var tracks: [Int: MovieTrack] = [:]
    var form: MovieForm?

    func candidate(until duration: Int64) -> ExportChoice.Candidate {
      ExportChoice.Candidate(
        start: max(0, part?.beginning ?? placed.start),
        end: min(duration, part.map { $0.position + $0.endTime } ?? placed.end), framePeriod: placed.record.framePeriod,
        device: placed.record.device, form: form)
    }
  }

  /// Reads the indexes of recordings, and returns the parts of the recordings that are in the span, in the order of
  /// their times.
  ///
  /// - Parameter duration: the length of the span, in nanoseconds.
  private func load(_ records: [RecordingRecord], until duration: Int64) throws(CaptureError) -> [Loaded] {
    guard let first = records.min(by: { ($0.startTime!, $0.id) < ($1.startTime!, $1.id) }) else { return [] }
    let shift = first.startTime!.signedNanoseconds(since: span.start)
    var (loaded, frames, packets) = ([Loaded](), 0, 0)
    var indexes: [String: Indexed] = [:]
    for var placed in RecordingTimeline.parts(of: records) {
      placed.moviePosition += shift
      let record = placed.record
      guard record.container.hasIndex else {
        if placed.start < duration, placed.end > 0 { loaded.append(Loaded(placed: placed)) }
        continue
      }
      var found = indexes[record.id]
      if found == nil { found = try index(of: record) }
      guard let (source, index) = found else { continue }
      // Keep the index only if it is needed again: a recording with pauses has several parts.
      if !record.pauses.isEmpty { indexes[record.id] = (source, index) }
      var part = ExportPlan.Part(placed, of: index)
      part.trim(to: duration)
      guard !part.samples.isEmpty else { continue }
      loaded.append(
        Loaded(
          placed: placed, part: part, source: source, tracks: Dictionary(uniqueKeysWithValues: index.tracks),
          form: MovieForm(of: index)))
      frames += part.samples.count
      packets += part.sounds.values.reduce(0) { $0 + $1.samples.count }
      guard frames <= ExportSpan.maximumFrames, packets <= ExportSpan.maximumPackets else { throw .tooManyFrames }
    }
    return loaded
  }

  /// Finds where the samples of a recording lie, and in which file. Returns nil when nothing of the recording plays, or
  /// when somebody has deleted it meanwhile.
  private func index(of record: RecordingRecord) throws(CaptureError) -> Indexed? {
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
  /// All tracks with their numbers: 0 is the track of the pictures, and the tracks of sound follow.
  fileprivate var tracks: [(Int, MovieTrack)] {
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

extension ExportPlan.Part {
  /// The samples of a part of a recording.
  fileprivate init(_ placed: RecordingTimeline.Placed, of index: MovieIndex) {
    let times = placed.part.movieTimes
    let (record, pictures) = (placed.record, index.pictures)
    // The first frame after a pause lies a tick before or after the nearest one at most.
    let first = times.lowerBound > 0 ? Int64(times.lowerBound) - MovieIndex.tick : .min
    let isLast = times.upperBound == record.duration
    let end = isLast ? .max : Int64(times.upperBound) - MovieIndex.tick
    let samples = pictures.samples.filter { (first..<end).contains($0.time) }
    self.init(
      position: placed.moviePosition, start: max(0, first), samples: samples,
      endTime: min(pictures.endTime, end), sounds: index.sounds.mapValues(ExportSound.Part.init(of:)))
    guard !record.pauses.isEmpty else { return }
    sounds = sounds.mapValues { $0.cut(from: max(0, first), to: min(pictures.endTime, end)) }
  }
}

extension ExportSpan {
  fileprivate func notExportable(_ record: RecordingRecord) -> CaptureError {
    let name = record.container.rawValue
    return CaptureError(
      .recordingNotExportable,
      "The recording \(record.id) is in \(name), and only MP4 and QuickTime can be exported; download it by itself.",
      metadata: ["recording": record.id, "container": name])
  }

  fileprivate var isEmpty: CaptureError {
    CaptureError(
      .recordingNotFound, "The session \(session) has no recorded frame in this time; see ListRecordings.",
      metadata: ["session": session])
  }

  /// The camera or the form is another one from this part of a recording on.
  fileprivate func changes(_ difference: SharedForm.Difference, at placed: RecordingTimeline.Placed) -> CaptureError {
    let time = (placed.record.startTime! + placed.part.start).rfc3339
    let what = difference == .camera ? "The camera" : "The form of the pictures or of the sound"
    return CaptureError(
      .recordingNotExportable,
      "\(what) changes at \(time); export what is before and what is after by itself.",
      metadata: ["recording": placed.record.id, "format_change_time": time])
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

public import CaptureCore
internal import Locking
public import SystemClocks
public import VideoCoding

/// A movie of a span of time that is nowhere on the disk: its beginning is in memory, and its samples are bytes of the
/// recordings' files.
public struct MovieExport: Sendable {
  /// A file of a recording, in which the samples lie where the movie expects them.
  struct Source: Hashable {
    /// The id of the recording.
    var recording: String
    /// Whether this is the file that a recording gets when it finishes, in which the samples lie elsewhere.
    var isOptimizedForNetworkUse: Bool
  }

  /// The format of the movie.
  public let container: MovieContainer
  /// When the camera captured the first frame that the movie shows.
  public let startTime: WallInstant
  /// How long the movie is shown, in nanoseconds.
  public let duration: UInt64
  /// The time of the last frame in the movie, in nanoseconds.
  public let lastFrameTime: UInt64
  /// How long before ``startTime`` the first frame was captured that the file holds, in nanoseconds. Players that know
  /// edit lists do not show what was captured before ``startTime``. 0 for an exact span.
  public let hiddenDuration: UInt64
  /// The number of bytes.
  public let size: UInt64
  /// A name for exactly these bytes: 16 hexadecimal digits.
  public let tag: String
  let header: [UInt8]
  let sources: [Source]
  /// The pictures that were encoded anew.
  let group: ExportGroup?
  private let extents: [ExportPlan.Extent]
  /// Where in the movie each extent begins.
  private let starts: [UInt64]

  init(
    _ plan: ExportPlan, header: [UInt8], container: MovieContainer, startTime: WallInstant, sources: [Source],
    group: ExportGroup?, tag: String
  ) {
    self.container = container
    self.startTime = startTime
    self.header = header
    self.sources = sources
    self.group = group
    self.tag = tag
    hiddenDuration = UInt64(max(0, -(plan.samples.first?.time ?? 0)))
    duration = UInt64(plan.endTime)
    lastFrameTime = UInt64(max(0, plan.samples.last?.time ?? 0))
    extents = plan.extents
    var offset = UInt64(header.count)
    starts = plan.extents.map { extent in
      defer { offset += extent.count }
      return offset
    }
    size = offset
  }

  /// The number of bytes that were encoded anew.
  var recodedCount: Int { group?.recoded.bytes.count ?? 0 }

  /// Where the bytes from an offset on come from, up to the end of an extent. `offset` is behind the header and before
  /// the end of the movie.
  func source(at offset: UInt64) -> (number: Int, offset: UInt64, count: UInt64) {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    let skipped = offset - starts[low]
    return (extents[low].part, extents[low].offset + skipped, extents[low].count - skipped)
  }
}

/// Reads a movie that was made of a span of time. Thread-safe; made for one client.
public final class ExportReader: Sendable {
  /// The most files that a reader has open.
  static let maximumFiles = 4

  /// The movie.
  public let movie: MovieExport
  private let recordings: Recordings
  /// The open files, the one that was used last at the end.
  private let files: Locked<[(source: Int, file: RecordingFile)]>

  init(_ movie: MovieExport, _ recordings: Recordings) async throws(CaptureError) {
    self.movie = movie
    self.recordings = recordings
    var opened: [(Int, RecordingFile)] = []
    for number in movie.sources.indices.prefix(Self.maximumFiles) {
      opened.append((number, try await recordings.open(movie.sources[number])))
    }
    // The first files are needed first.
    files = Locked(opened.reversed())
  }

  /// Reads bytes of the movie.
  ///
  /// - Parameters:
  ///   - offset: where in the movie the bytes begin.
  ///   - count: how many bytes are wanted; more than ``RecordingFile/maximumRead`` means that many.
  /// - Returns: fewer bytes only at the end of the movie.
  /// - Throws: `recordingNotFound` when a recording was deleted before its file was opened; `operationInterrupted` when
  ///   a recording got another file before that; `processingFailed` when the disk fails.
  public func read(at offset: UInt64, count: Int) async throws(CaptureError) -> [UInt8] {
    let end = min(movie.size, offset + UInt64(min(max(0, count), RecordingFile.maximumRead)))
    guard offset < end else { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(end - offset))
    let header = UInt64(movie.header.count)
    if offset < header { bytes += movie.header[Int(offset)..<Int(min(header, end))] }
    while offset + UInt64(bytes.count) < end {
      let place = offset + UInt64(bytes.count)
      let source = movie.source(at: place)
      let count = Int(min(source.count, end - place))
      if source.number == ExportPlan.inMemory {
        bytes += movie.group?.recoded.bytes.dropFirst(Int(source.offset)).prefix(count) ?? []
      } else {
        let part = try await file(source.number).read(at: source.offset, count: count)
        guard !part.isEmpty else { throw .isShorter }
        bytes += part
      }
    }
    return bytes
  }

  /// The file of a recording. The file that was not used for the longest time is closed when there are too many.
  private func file(_ number: Int) async throws(CaptureError) -> RecordingFile {
    let open = files.withLock { files -> RecordingFile? in
      guard let index = files.firstIndex(where: { $0.source == number }) else { return nil }
      files.append(files.remove(at: index))
      return files[files.count - 1].file
    }
    if let open { return open }
    let file = try await recordings.open(movie.sources[number])
    let closed = files.withLock { files in
      files.append((number, file))
      return files.count > Self.maximumFiles ? files.removeFirst().file : nil
    }
    return withExtendedLifetime(closed) { file }
  }
}

extension Recordings {
  /// Opens the file of a movie's samples.
  fileprivate func open(_ source: MovieExport.Source) async throws(CaptureError) -> RecordingFile {
    let file = try await open(source.recording)
    guard file.isOptimizedForNetworkUse == source.isOptimizedForNetworkUse else { throw .gotAnotherFile(source) }
    return file
  }
}

public import CaptureCore
internal import Locking
internal import VideoCoding

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

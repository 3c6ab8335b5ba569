public import CaptureCore
internal import Glibc
internal import Synchronization
public import SystemClocks
internal import SystemFiles
public import VideoCoding

/// The file of a recording, open for reading. It stays readable when the recording is deleted. Thread-safe.
public final class RecordingFile: Sendable {
  /// The most bytes of one read.
  public static let maximumRead = 1 << 20

  /// When the file had last been written as it was opened, in seconds since 1970 (UTC).
  public let modificationTime: Int64
  /// Whether the index of the movie comes first. A recording may get such a file once, when it finishes. A file that is
  /// open by then stays what it is.
  public let isOptimizedForNetworkUse: Bool
  private let descriptor: Descriptor
  private let length: PlayableLength
  private let thread: DiskThread

  init(_ descriptor: Descriptor, of entry: RecordingCatalog.Entry, thread: DiskThread) throws(CaptureError) {
    modificationTime = try descriptor.status(RecordingFolder.looking).modificationTime
    isOptimizedForNetworkUse = entry.record.isOptimizedForNetworkUse
    length = entry.length
    self.descriptor = descriptor
    self.thread = thread
  }

  /// The number of bytes that play. It grows while the recording runs.
  public var size: UInt64 { length.value.load(ordering: .acquiring) }

  /// Reads bytes that play.
  ///
  /// - Parameters:
  ///   - offset: where in the file the bytes begin.
  ///   - count: how many bytes are wanted; more than ``maximumRead`` means ``maximumRead``.
  /// - Returns: fewer bytes at ``size``, and none beyond it.
  /// - Throws: `processingFailed` when the disk fails.
  public func read(at offset: UInt64, count: Int) async throws(CaptureError) -> [UInt8] {
    let left = size - min(offset, size)
    let wanted = min(max(0, count), Self.maximumRead, Int(clamping: left))
    guard wanted > 0 else { return [] }
    return try await thread.perform { [self] () throws(CaptureError) in
      try descriptor.read(at: offset, count: wanted, RecordingFolder.reading)
    }
  }
}

extension RecordingFile {
  /// Begins the table of the file's fragments. Nil when it has none.
  func beginTable(size: UInt64) async throws(CaptureError) -> FragmentTable? {
    try await thread.perform { [self] () throws(CaptureError) in
      var table = try FragmentTable(size: size, read: readAndWait)
      try table?.takeList(size: size, read: readAndWait)
      return table
    }
  }

  /// Adds the fragments that are new to the table. Returns whether there may be more.
  func extend(_ table: inout FragmentTable, to size: UInt64, atMost limit: Int) async throws(CaptureError) -> Bool {
    let former = table
    let (extended, hasMore) = try await thread.perform { [self] () throws(CaptureError) in
      var table = former
      let hasMore = try table.extend(to: size, atMost: limit, read: readAndWait)
      return (table, hasMore)
    }
    table = extended
    return hasMore
  }

  /// The file with an index of the fragments in its first `size` bytes. Nil when it has none.
  func index(of table: FragmentTable, to size: UInt64) async throws(CaptureError) -> IndexedRecording? {
    try await thread.perform { [self] () throws(CaptureError) in
      try table.index(to: size, read: readAndWait).map {
        IndexedRecording(self, index: $0.bytes, at: $0.place, end: $0.end)
      }
    }
  }

  /// Reads bytes of the file, also such that do not play yet. Blocks.
  func readAndWait(at offset: UInt64, count: Int) throws(CaptureError) -> [UInt8] {
    try descriptor.read(at: offset, count: count, RecordingFolder.reading)
  }

  /// Reads where the samples of a file in MP4 or QuickTime lie. Blocks.
  ///
  /// - Parameter size: samples that end after so many bytes are left out.
  /// - Throws: as ``MovieIndex/init(of:container:codec:size:)``.
  func index(of record: RecordingRecord, size: UInt64) throws(CaptureError) -> MovieIndex {
    try descriptor.withPath { path throws(CaptureError) in
      try MovieIndex(
        of: path, container: record.container, codec: record.codec, audioCodec: record.audioCodec, size: size)
    }
  }
}

extension RecordingFile {
  /// Reads what a file in MP4 or QuickTime tells once about its tracks. Blocks.
  ///
  /// - Throws: as ``MovieForm/init(of:container:)``.
  func form(_ container: MovieContainer) throws(CaptureError) -> MovieForm { try descriptor.form(container) }
}

extension Descriptor {
  /// Reads what a file in MP4 or QuickTime tells once about its tracks. Blocks.
  ///
  /// - Throws: as ``MovieForm/init(of:container:)``.
  func form(_ container: MovieContainer) throws(CaptureError) -> MovieForm {
    try withPath { path throws(CaptureError) in try MovieForm(of: path, container: container) }
  }
}

/// The number of bytes of a file that play, which the store and all who have that file open share.
final class PlayableLength: Sendable {
  let value: Atomic<UInt64>

  init(_ value: UInt64) { self.value = Atomic(value) }
}

/// The path of a recording's file, relative to the folder of recordings: 1 to 8 names, joined by slashes. No such path
/// leads out of the folder, unless a folder on the way is a symbolic link.
public struct RecordingFileName: Hashable, Sendable {
  /// The most names in a path.
  public static let maximumDepth = 8
  /// The most bytes of a path, in UTF-8.
  public static let maximumLength = 1024

  /// The path.
  public let path: String

  /// The names of the folders on the way, and of the file.
  var components: [String] { Self.names(in: path) }

  /// Splits a path as the system does, by its bytes. For Swift, a slash and an accent behind it are one character,
  /// which is no slash.
  private static func names(in path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// Checks a path that a client names.
  ///
  /// - Parameter text: the path, to which the usual ending of the container is added when its last name has no ending.
  /// - Throws: `invalidArgument` for the field `file`.
  public init(_ text: String, container: MovieContainer) throws(CaptureError) {
    let ending = ".\(container.fileExtension)"
    var names = Self.names(in: text)
    guard !names.contains("") else {
      throw .fileName(text, "names a file in the folder of recordings, without a slash at its start or end")
    }
    guard names.allSatisfy({ $0.utf8.first != UInt8(ascii: ".") }) else {
      throw .fileName(text, "has no name that begins with a dot; such names are the daemon's own")
    }
    guard text.unicodeScalars.allSatisfy({ $0 != "\\" && $0.properties.generalCategory != .control }) else {
      throw .fileName(text, "has neither control characters nor backslashes; use a slash between folders")
    }
    if !names.last!.utf8.contains(UInt8(ascii: ".")) { names[names.count - 1] += ending }
    guard names.last!.utf8.reversed().starts(with: ending.utf8.reversed()) else {
      throw .fileName(text, "ends in \(ending) for this container; the daemon adds the ending if you leave it out")
    }
    let path = names.joined(separator: "/")
    guard
      names.count <= Self.maximumDepth, path.utf8.count <= Self.maximumLength,
      names.allSatisfy({ $0.utf8.count <= 255 })
    else {
      throw .fileName(text, "has at most 8 names, each of at most 255 bytes, and 1,024 bytes in all; shorten it")
    }
    self.path = path
  }

  /// The path of a folder on the way to a file that was checked.
  init(trusted names: [String]) { path = names.joined(separator: "/") }

  /// The name of a recording whose client names none: `<session>/<yyyy-MM-dd>/<HH-mm-ss.mmm>-<id>.<ending>`, in UTC.
  ///
  /// - Parameter session: the id of a session, which contains neither slashes nor dots.
  public init(session: String, id: String, time: WallInstant, container: MovieContainer) {
    var seconds = time_t(time.nanoseconds / 1_000_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func padded(_ number: Int, _ digits: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
    let date = [(Int(parts.tm_year) + 1900, 4), (Int(parts.tm_mon) + 1, 2), (Int(parts.tm_mday), 2)].map(padded)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0), 2) }
    let fraction = padded(Int(time.nanoseconds / 1_000_000 % 1000), 3)
    path =
      "\(session)/\(date.joined(separator: "-"))/\(clock.joined(separator: "-")).\(fraction)-\(id)"
      + ".\(container.fileExtension)"
  }
}

extension CaptureError {
  /// A client named a file that cannot be one of a recording. `rule` goes on after "The path of a recording".
  fileprivate static func fileName(_ text: String, _ rule: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "The path of a recording \(rule).", metadata: ["file": String(text.prefix(80))], field: "file")
  }
}

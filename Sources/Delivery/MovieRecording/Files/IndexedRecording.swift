public import CaptureCore
internal import Locking

/// The file of a recording as it plays best over a network: with an index of its fragments in front, which the file
/// itself cannot have while it grows. Nothing is written for it. Thread-safe.
public final class IndexedRecording: Sendable {
  /// The number of bytes.
  public let size: UInt64
  private let file: RecordingFile
  private let index: [UInt8]
  /// Where in the file the index belongs.
  private let place: UInt64

  init(_ file: RecordingFile, index: [UInt8], at place: UInt64, end: UInt64) {
    self.file = file
    self.index = index
    self.place = place
    size = end + UInt64(index.count)
  }

  /// Reads bytes, as ``RecordingFile/read(at:count:)`` does.
  public func read(at offset: UInt64, count: Int) async throws(CaptureError) -> [UInt8] {
    let end = min(size, offset + UInt64(min(max(0, count), RecordingFile.maximumRead)))
    let behind = place + UInt64(index.count)
    if offset >= end { return [] }
    if offset >= behind { return try await file.read(at: offset - UInt64(index.count), count: Int(end - offset)) }
    if offset < place { return try await file.read(at: offset, count: Int(min(end, place) - offset)) }
    return Array(index[Int(offset - place)..<Int(min(end, behind) - place)])
  }
}

/// Makes the indexes of recordings in fragments. Thread-safe.
///
/// The tables of the recordings that clients read last are kept, because a player asks for one file in many requests,
/// and each time only the fragments that are new have to be looked at.
public final class FragmentIndexes: Sendable {
  /// The number of tables that are kept. A table takes 24 bytes for each fragment: 1 MB for a day.
  static let maximumKept = 16
  /// The fragments that are looked at before other readers get their turn.
  static let maximumStep = 64

  private let kept = Locked<[(recording: String, table: FragmentTable)]>([])

  /// Makes no index yet.
  public init() {}

  /// The file with an index of its fragments in front. Nil for a file without fragments.
  ///
  /// - Parameters:
  ///   - recording: the id of the recording.
  ///   - size: the bytes of the file that count.
  /// - Throws: `processingFailed` when the disk fails.
  public func indexed(
    _ file: RecordingFile, of recording: String, size: UInt64
  ) async throws(CaptureError) -> IndexedRecording? {
    guard !file.isOptimizedForNetworkUse, var table = try await table(of: file, recording, size) else { return nil }
    while try await file.extend(&table, to: size, atMost: Self.maximumStep) {}
    keep(table, of: recording)
    return try await file.index(of: table, to: size)
  }

  private func table(
    of file: RecordingFile, _ recording: String, _ size: UInt64
  ) async throws(CaptureError) -> FragmentTable? {
    if let found = kept.withLock({ $0.first { $0.recording == recording } }) { return found.table }
    return try await file.beginTable(size: size)
  }

  /// Keeps a table. Another request may have found more meanwhile.
  private func keep(_ table: FragmentTable, of recording: String) {
    kept.withLock { kept in
      let former = kept.firstIndex { $0.recording == recording }.map { kept.remove(at: $0).table }
      let longest = former.map { $0.end > table.end ? $0 : table } ?? table
      kept = [(recording, longest)] + kept.prefix(Self.maximumKept - 1)
    }
  }
}

/// The head of a box of MP4 or QuickTime (ISO/IEC 14496-12, 4.2).
struct MovieBox {
  /// The bytes that are enough for a head.
  static let maximumHead = 16

  /// The four letters that say what the box is.
  let name: String
  /// The number of bytes of the box, with its head.
  let size: UInt64
  /// The number of bytes of the head.
  let headCount: Int

  /// Reads a head from the beginning of `bytes`. Nil when they are no head: a file system may leave zeros where the
  /// power failed.
  init?(_ bytes: ArraySlice<UInt8>) {
    let name = bytes.dropFirst(4).prefix(4)
    guard name.count == 4, name.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
    let short = bytes.number(at: 0, count: 4)
    // The size 1 says that a size of 64 bits follows. The muxer never leaves a size open, which would be 0.
    let isLong = short == 1
    if isLong, bytes.count < 16 { return nil }
    size = isLong ? bytes.number(at: 8, count: 8) : short
    headCount = isLong ? 16 : 8
    guard size >= UInt64(headCount) else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
  }

  /// The boxes in the content of a box, with their own contents, up to the first that is not whole.
  static func boxes(in content: ArraySlice<UInt8>) -> [(name: String, content: ArraySlice<UInt8>)] {
    var (rest, found) = (content, [(name: String, content: ArraySlice<UInt8>)]())
    while let box = MovieBox(rest.prefix(maximumHead)), box.size <= UInt64(rest.count) {
      found.append((box.name, rest.prefix(Int(box.size)).dropFirst(box.headCount)))
      rest = rest.dropFirst(Int(box.size))
    }
    return found
  }

  /// The content of the first box with this name in the content of another one.
  static func first(_ name: String, in content: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    boxes(in: content).first { $0.name == name }?.content
  }
}

extension ArraySlice<UInt8> {
  /// The number that `count` bytes tell, the most significant first. The bytes beyond the end count as 0.
  ///
  /// - Parameter place: where the bytes begin, from the beginning of the slice.
  func number(at place: Int, count: Int) -> UInt64 {
    let bytes = dropFirst(place).prefix(count)
    return (0..<count).reduce(0) { number, index in
      number << 8 | (index < bytes.count ? UInt64(bytes[bytes.startIndex + index]) : 0)
    }
  }
}

extension Array<UInt8> {
  /// Adds a number of `count` bytes, the most significant first.
  mutating func append(_ number: UInt64, count: Int) {
    for place in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
  }
}

public import CaptureCore

/// An input of a writer: what became of its samples. A value. A sample is a picture or a piece of sound.
public struct WriterInput: Hashable, Sendable {
  /// The id of the input.
  public let id: String
  /// Whether the writer takes a sample now.
  public internal(set) var isReady = false
  /// The samples that the writer took.
  public internal(set) var appended: UInt64 = 0
  /// The samples that are on the storage.
  public internal(set) var acknowledged: UInt64 = 0
  /// The samples that the writer did not take, because there was no room for them.
  public internal(set) var refused: UInt64 = 0
  /// The pictures that the writer took and the movie lacks.
  public internal(set) var dropped = DropCounts()

  init(id: String) { self.id = id }
}

/// The pieces of sound of a track that are not on the storage yet, as a value: where each of them ends in the movie.
struct SoundLedger: Sendable, Hashable {
  /// The most entries. When there are more pieces, several have one entry, and so are acknowledged together.
  static let maximumEntries = 1024
  /// Times of samples are rounded to nanoseconds.
  private static let tolerance: UInt64 = 1000

  private struct Entry: Hashable {
    var end: UInt64
    var count: UInt64
  }
  private var entries: [Entry] = []

  /// Notes a piece that ends at a time of its client.
  mutating func add(_ end: UInt64) {
    if entries.count < Self.maximumEntries {
      entries.append(Entry(end: end, count: 1))
    } else {
      entries[entries.count - 1] = Entry(end: end, count: entries.last!.count + 1)
    }
  }

  /// Takes out the pieces that end until a time, and returns their number.
  mutating func take(until time: UInt64) -> UInt64 {
    let past = entries.prefix { $0.end <= time + Self.tolerance }
    entries.removeFirst(past.count)
    return past.reduce(0) { $0 + $1.count }
  }
}

/// Key-value pairs that the client sends before its messages, or that the server sends after its own. Keys are lower
/// case, and several entries may have the same key.
public struct Metadata: Hashable, Sendable {
  /// A text or, under a key that ends in `-bin`, any bytes.
  public enum Value: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
  }

  /// All entries, in the order in which they were sent or added.
  public private(set) var entries: [Entry]

  /// One key with its value.
  public struct Entry: Hashable, Sendable {
    /// The key, in lower case.
    public let key: String
    /// The text or the bytes under the key.
    public let value: Value
  }

  /// Makes metadata without entries.
  public init() { entries = [] }

  /// Adds an entry with a text. Entries that already have the same key stay.
  ///
  /// - Parameters:
  ///   - value: printable ASCII.
  ///   - key: lower case letters, digits, `-`, `_` and `.`. A key must not begin with `grpc-`, because transports use
  ///     such keys themselves.
  public mutating func add(_ value: String, forKey key: String) {
    entries.append(Entry(key: key, value: .text(value)))
  }

  /// Adds an entry with bytes. Entries that already have the same key stay.
  ///
  /// - Parameters:
  ///   - value: any bytes.
  ///   - key: a key as for a text, which must end in `-bin`.
  public mutating func add(binary value: [UInt8], forKey key: String) {
    entries.append(Entry(key: key, value: .binary(value)))
  }

  /// The first text under a key. Nil when the key has no text.
  public subscript(key: String) -> String? {
    for entry in entries where entry.key == key {
      if case .text(let text) = entry.value { return text }
    }
    return nil
  }

  /// Returns every value under a key, in the order of the entries. The result is empty for an unknown key.
  public func values(forKey key: String) -> [Value] {
    entries.filter { $0.key == key }.map(\.value)
  }
}

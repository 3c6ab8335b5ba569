/// Key-value pairs that travel beside the messages of a call, before them or after them. Keys are lower case and may
/// repeat.
public struct Metadata: Hashable, Sendable {
  /// A value is text or, under a key that ends in `-bin`, any bytes.
  public enum Value: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
  }

  /// The entries in the order in which they came.
  public private(set) var entries: [Entry]

  /// One key with its value.
  public struct Entry: Hashable, Sendable {
    public let key: String
    public let value: Value
  }

  public init() { entries = [] }

  /// Adds an entry. An existing entry with the same key stays.
  ///
  /// - Parameters:
  ///   - key: lower case letters, digits, `-`, `_` and `.`. It must not begin with `grpc-`, which transports use
  ///     themselves.
  ///   - value: printable ASCII.
  public mutating func add(_ value: String, forKey key: String) {
    entries.append(Entry(key: key, value: .text(value)))
  }

  /// Adds an entry of any bytes.
  ///
  /// - Parameter key: follows the rules of a text's key, and ends in `-bin`.
  public mutating func add(binary value: [UInt8], forKey key: String) {
    entries.append(Entry(key: key, value: .binary(value)))
  }

  /// The first text under a key.
  public subscript(key: String) -> String? {
    for entry in entries where entry.key == key {
      if case .text(let text) = entry.value { return text }
    }
    return nil
  }

  /// Every value under a key, in order.
  public func values(forKey key: String) -> [Value] {
    entries.filter { $0.key == key }.map(\.value)
  }
}

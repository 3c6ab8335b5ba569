internal import Synchronization

/// Metadata that the handler and the interceptors collect while a call runs. The transport sends it at the call's end,
/// so what they add after that is lost. Thread-safe.
public final class TrailingMetadata: Sendable {
  private let metadata = Mutex(Metadata())

  init() {}

  /// Adds a text, as ``Metadata/add(_:forKey:)`` does. The transport leaves out an entry that it cannot send.
  public func add(_ value: String, forKey key: String) {
    metadata.withLock { $0.add(value, forKey: key) }
  }

  /// Adds bytes, as ``Metadata/add(binary:forKey:)`` does. The transport leaves out an entry that it cannot send.
  public func add(binary value: [UInt8], forKey key: String) {
    metadata.withLock { $0.add(binary: value, forKey: key) }
  }

  /// What was added so far.
  public var value: Metadata { metadata.withLock { $0 } }
}

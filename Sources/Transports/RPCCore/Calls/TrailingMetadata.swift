internal import Locking

/// Metadata that the handler and the interceptors collect while a call runs. The transport sends the metadata at the
/// end of the call, so entries that are added after the end are lost. Thread-safe.
public final class TrailingMetadata: Sendable {
  private let metadata = Locked(Metadata())

  init() {}

  /// Adds a text, under the rules of ``Metadata/add(_:forKey:)``. The transport leaves out an entry that it cannot
  /// send.
  public func add(_ value: String, forKey key: String) {
    metadata.withLock { $0.add(value, forKey: key) }
  }

  /// Adds bytes, under the rules of ``Metadata/add(binary:forKey:)``. The transport leaves out an entry that it cannot
  /// send.
  public func add(binary value: [UInt8], forKey key: String) {
    metadata.withLock { $0.add(binary: value, forKey: key) }
  }

  /// The entries that have been added so far.
  public var value: Metadata { metadata.withLock { $0 } }
}

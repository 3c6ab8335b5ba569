public import CaptureCore
internal import Synchronization

/// Remembers what was made of a picture for one reader, for the others who get the same picture. Thread-safe.
///
/// Lives as long as somebody waits with the picture, so what it remembers is kept no longer.
public final class PictureMemo: Sendable {
  private let made = Mutex<(dropped: DropCounts, omitted: UInt64, value: any Sendable)?>(nil)

  /// What `make` made before, unless for another type or other losses.
  ///
  /// - Parameters:
  ///   - dropped: what this reader lost before the picture,
  ///   - omitted: and what it did not want: all that differs from reader to reader.
  public func value<Value: Sendable>(
    dropped: DropCounts, omitted: UInt64 = 0, _ make: () throws -> Value
  ) rethrows -> Value {
    // Made under the lock: the others would only make the same.
    try made.withLock { made in
      if let made, made.dropped == dropped, made.omitted == omitted, let value = made.value as? Value { return value }
      let value = try make()
      if made == nil { made = (dropped, omitted, value) }
      return value
    }
  }
}

public import CaptureCore
internal import Synchronization

/// Remembers what was made of a picture for one reader, for the others who get the same picture. Thread-safe.
///
/// Lives as long as somebody waits with the picture, so what it remembers is kept no longer.
public final class PictureMemo: Sendable {
  /// An object: anything else would be copied, and its type looked up, for each reader.
  public typealias Made = AnyObject & Sendable

  private let made = Mutex<(dropped: DropCounts, omitted: UInt64, value: any Made)?>(nil)

  /// Nil for one reader, who shares with nobody.
  static func shared(by readers: Int) -> PictureMemo? { readers > 1 ? PictureMemo() : nil }

  /// What `make` made before, unless for another type or other losses.
  ///
  /// - Parameters:
  ///   - dropped: what this reader lost before the picture,
  ///   - omitted: and what it did not want: all that differs from reader to reader.
  @inlinable
  public func value<Value: Made>(
    dropped: DropCounts, omitted: UInt64 = 0, _ make: () throws -> Value
  ) rethrows -> Value {
    if let value = try remembered(dropped, omitted, make) as? Value { return value }
    return try make()
  }

  /// The part that does not depend on the type, so that only the rest is compiled into the caller.
  @usableFromInline
  func remembered(_ dropped: DropCounts, _ omitted: UInt64, _ make: () throws -> any Made) rethrows -> any Made {
    // Made under the lock: the others would only make the same.
    try made.withLock { made in
      if let made, made.dropped == dropped, made.omitted == omitted { return made.value }
      let value = try make()
      if made == nil { made = (dropped, omitted, value) }
      return value
    }
  }
}

extension PictureMemo? {
  /// As ``PictureMemo/value(dropped:omitted:_:)``; made at once for a picture that nobody shares.
  @inlinable
  public func value<Value: PictureMemo.Made>(
    dropped: DropCounts, omitted: UInt64 = 0, _ make: () throws -> Value
  ) rethrows -> Value {
    if let self { try self.value(dropped: dropped, omitted: omitted, make) } else { try make() }
  }
}

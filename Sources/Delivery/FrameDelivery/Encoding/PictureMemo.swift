public import CaptureCore
internal import Locking

/// Remembers what was made of a picture for one reader, for example a message, so that the other readers of the picture
/// get the same object. Thread-safe.
///
/// The memo lives only as long as a reader waits with the picture, and so does what the memo remembers.
public final class PictureMemo: Sendable {
  /// What a memo can remember: an object. A value of any other kind would be copied, and its type looked up, for each
  /// reader.
  public typealias Made = AnyObject & Sendable

  /// One value of each type, since readers by different transports make different values of the picture.
  private let made = Locked<[(type: ObjectIdentifier, dropped: DropCounts, omitted: UInt64, value: any Made)]>([])

  /// A memo for the readers of one picture. Nil for a single reader, who shares the picture with no other.
  static func shared(by readers: Int) -> PictureMemo? { readers > 1 ? PictureMemo() : nil }

  /// What the first reader made with a value of this type, if that was for the same losses. Else what `make` makes now.
  ///
  /// - Parameters:
  ///   - dropped: the frames that this reader lost before the picture.
  ///   - omitted: the frames before the picture that this reader did not want. Only `dropped` and `omitted` differ
  ///     from reader to reader.
  ///   - make: makes the value. Usually called under the memo's lock, so it must not use the memo.
  /// - Throws: what `make` throws.
  @inlinable
  public func value<Value: Made>(
    dropped: DropCounts, omitted: UInt64 = 0, _ make: () throws -> Value
  ) rethrows -> Value {
    let value = try remembered(ObjectIdentifier(Value.self), dropped, omitted, make)
    // The value has the type under which it was remembered.
    return unsafeDowncast(value, to: Value.self)
  }

  /// The part of ``value(dropped:omitted:_:)`` that does not depend on the type, so that only the rest is compiled into
  /// the caller.
  @usableFromInline
  func remembered(
    _ type: ObjectIdentifier, _ dropped: DropCounts, _ omitted: UInt64, _ make: () throws -> any Made
  ) rethrows -> any Made {
    // `make` runs under the lock, because the other readers would only make the same value meanwhile.
    try made.withLock { made in
      let known = made.first { $0.type == type }
      if let known, known.dropped == dropped, known.omitted == omitted { return known.value }
      let value = try make()
      if known == nil { made.append((type, dropped, omitted, value)) }
      return value
    }
  }
}

extension PictureMemo? {
  /// The same as ``PictureMemo/value(dropped:omitted:_:)``. Nil, for a picture that no other reader shares, calls
  /// `make` at once.
  ///
  /// - Throws: what `make` throws.
  @inlinable
  public func value<Value: PictureMemo.Made>(
    dropped: DropCounts, omitted: UInt64 = 0, _ make: () throws -> Value
  ) rethrows -> Value {
    if let self { try self.value(dropped: dropped, omitted: omitted, make) } else { try make() }
  }
}

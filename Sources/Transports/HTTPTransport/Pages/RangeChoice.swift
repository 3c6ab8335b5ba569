/// Which bytes of a body the field `Range` of a request asks for (RFC 9110, section 14).
package enum RangeChoice: Hashable, Sendable {
  /// All bytes: there is no range, or one that the server may ignore, such as several ranges at once.
  case whole
  /// These bytes, at least one.
  case part(Range<UInt64>)
  /// The range has no byte of the body.
  case unsatisfiable

  /// Reads the field.
  ///
  /// - Parameters:
  ///   - field: the value of `Range`, for example `bytes=0-499` or `bytes=-500`; nil without the field.
  ///   - size: the number of bytes in the body.
  package init(_ field: String?, size: UInt64) {
    self = .whole
    guard let parts = field?.split(separator: "=", maxSplits: 1), parts.count == 2 else { return }
    guard parts[0].lowercased() == "bytes" else { return }
    let ends = parts[1].trimmingSpaces.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }) else { return }
    // A number that is too large for 64 bits is as good as the largest one.
    let (first, last) = (
      ends[0].isEmpty ? nil : UInt64(ends[0]) ?? .max, ends[1].isEmpty ? nil : UInt64(ends[1]) ?? .max
    )
    switch (first, last) {
    case (nil, nil): return
    case (nil, let count?): self = count > 0 && size > 0 ? .part(size - min(count, size)..<size) : .unsatisfiable
    case (let first?, let last):
      if let last, last < first { return }
      self = first < size ? .part(first..<min(last ?? .max, size - 1) + 1) : .unsatisfiable
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var text = drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}

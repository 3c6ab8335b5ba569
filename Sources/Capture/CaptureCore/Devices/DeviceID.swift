/// The rules for spelling a ``Device/id``.
public enum DeviceID {
  /// The greatest length of an id in characters, each of which is one byte.
  public static let maximumLength = 63

  /// Spells `text` with the characters that an id may have. A text that is too long ends in a hash of the whole text,
  /// so that two serial numbers that differ only at their ends give different ids.
  public static func make(_ text: String) -> String {
    var id = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): id.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
      default: id.append(isUsable(byte) ? Character(Unicode.Scalar(byte)) : "-")
      }
    }
    guard id.utf8.count > maximumLength else { return id }
    let hash = String(fnv1a(text), radix: 16)
    return id.prefix(maximumLength - 1 - hash.utf8.count) + "-" + hash
  }

  /// Whether an operator may choose `id`: it must be spelled by the rules and begin with a letter or a digit.
  public static func isValid(_ id: String) -> Bool {
    guard let first = id.utf8.first, id.utf8.count <= maximumLength else { return false }
    return id.utf8.allSatisfy(isUsable) && !"-._".utf8.contains(first)
  }

  /// Returns `wanted` if it is free, else `wanted` followed by the lowest number that makes it a free id.
  ///
  /// - Parameter taken: the ids that are not free.
  public static func unused(_ wanted: String, _ taken: Set<String>) -> String {
    var id = wanted
    var suffix = 2
    while taken.contains(id) {
      id = make("\(wanted)_\(suffix)")
      suffix += 1
    }
    return id
  }

  private static func isUsable(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The 32-bit FNV-1a hash, which is the same in every run of the daemon. Swift's own hash differs from run to run.
  private static func fnv1a(_ text: String) -> UInt32 {
    text.utf8.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}

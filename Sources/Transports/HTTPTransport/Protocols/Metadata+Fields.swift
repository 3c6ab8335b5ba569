internal import HTTPTypes
internal import RPCCore

extension Metadata {
  /// The fields of a request that concern only HTTP.
  private static let httpFields: Set<String> = [
    "connection", "expect", "host", "http2-settings", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    "x-grpc-web",
  ]
  /// The beginnings of the names of fields that belong to HTTP or to a protocol.
  private static let foreignPrefixes = ["accept", "connect-", "content-", "grpc-", "proxy-"]

  /// Takes the fields of a request that do not belong to HTTP or to a protocol. A field whose name ends in `-bin` has
  /// one or more values in base64, separated by commas. A value that is not base64 is left out.
  init(_ fields: HTTPFields) {
    self.init()
    for field in fields {
      let key = field.name.canonicalName
      guard !Self.httpFields.contains(key), !Self.foreignPrefixes.contains(where: key.hasPrefix) else { continue }
      guard key.hasSuffix("-bin") else {
        add(field.value, forKey: key)
        continue
      }
      for text in field.value.split(separator: ",", omittingEmptySubsequences: false) {
        if let bytes = Base64Stream.bytes(text.filter { $0 != " " && $0 != "\t" }) { add(binary: bytes, forKey: key) }
      }
    }
  }

  /// The entries in the form in which the protocols send them: a text as it is, and bytes as base64 without padding.
  /// Entries that the protocols do not allow are left out, as gRPC does.
  var fields: [(name: String, value: String)] {
    entries.compactMap { entry in
      guard Self.isLegal(entry.key) else { return nil }
      switch entry.value {
      case .text(let text):
        // A text under the key of binary values would be taken for base64.
        guard !entry.key.hasSuffix("-bin"), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return (entry.key, text)
      case .binary(let bytes):
        guard entry.key.hasSuffix("-bin") else { return nil }
        return (entry.key, bytes.unpaddedBase64)
      }
    }
  }

  private static func isLegal(_ key: String) -> Bool {
    guard !key.isEmpty, !key.hasPrefix("grpc-"), !key.hasPrefix("connect-") else { return false }
    return key.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
      default: false
      }
    }
  }
}

/// The fields that belong to the protocols.
extension HTTPField.Name {
  static let connectProtocolVersion = Self("connect-protocol-version")!
  static let connectTimeout = Self("connect-timeout-ms")!
  static let connectContentEncoding = Self("connect-content-encoding")!
  static let connectAcceptEncoding = Self("connect-accept-encoding")!
  static let grpcTimeout = Self("grpc-timeout")!
  static let grpcEncoding = Self("grpc-encoding")!
  static let grpcAcceptEncoding = Self("grpc-accept-encoding")!
}

extension Duration {
  /// Reads the value of `connect-timeout-ms`, which is a number of milliseconds with at most ten digits. Nil for any
  /// other value.
  init?(connectTimeout text: String) {
    guard let milliseconds = number(text[...], digits: 10) else { return nil }
    self = .milliseconds(milliseconds)
  }

  /// Reads the value of `grpc-timeout`, which is a number with at most eight digits and a unit. Nil for any other
  /// value.
  init?(grpcTimeout text: String) {
    guard let number = number(text.dropLast(), digits: 8) else { return nil }
    switch text.last {
    case "H": self = .seconds(number * 3600)
    case "M": self = .seconds(number * 60)
    case "S": self = .seconds(number)
    case "m": self = .milliseconds(number)
    case "u": self = .microseconds(number)
    case "n": self = .nanoseconds(number)
    default: return nil
    }
  }
}

/// Returns the number that a text of decimal digits stands for. Nil for a text that is empty, has more than `digits`
/// digits or has other characters.
private func number(_ text: Substring, digits: Int) -> Int? {
  guard text.utf8.count <= digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return Int(text)
}

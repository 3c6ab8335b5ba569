package import HTTPTypes

/// What a request for a page says.
public struct HTTPPageRequest: Sendable {
  /// Whether the client asks for the head of the answer only.
  public let isHead: Bool
  /// The parameters of the query that the page reads, in their order and without percent encoding.
  public let parameters: [(name: String, value: String)]
  /// The names of the other parameters of the query, as the client wrote them.
  let ignoredParameters: [Substring]
  /// Whether the request calls the server by one of its names.
  public var namesServer = true
  /// The path without percent encoding, for example `/stream.mjpg`.
  public let path: String
  /// Whether the client asks for a part of a content, and does not say of which one: by `Range` without `If-Range` and
  /// `If-Match`.
  public var wantsPartOfAny: Bool {
    fields.contains(.range) && !fields.contains(.ifRange) && !fields.contains(.ifMatch)
  }
  /// The fields of the request's head.
  package let fields: HTTPFields

  /// Makes a request.
  ///
  /// - Parameter target: the path with the query, for example `/stream.mjpg?width=640&fps=5`.
  public init(target: String, isHead: Bool = false) { self.init(target: target, isHead: isHead, fields: [:]) }

  /// Makes a request with the fields of its head.
  ///
  /// - Parameter names: the parameters that the page reads. Nil for all.
  package init(target: String, isHead: Bool, fields: HTTPFields, reading names: [String]? = nil) {
    self.isHead = isHead
    self.fields = fields
    path = Self.decoded(Self.path(of: target)[...], spaces: false)
    let query = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
    var read: [(name: String, value: String)] = []
    var ignored: [Substring] = []
    for parameter in query.split(separator: "&") {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = Self.decoded(parts[0])
      if let names, !names.contains(name) {
        ignored.append(parts[0])
      } else {
        read.append((name, parts.count > 1 ? Self.decoded(parts[1]) : ""))
      }
    }
    parameters = read
    ignoredParameters = ignored
  }

  /// The path of a target as the client wrote it, but for several slashes, which count as one: clients join an address
  /// that ends with a slash and a path that begins with one.
  static func path(of target: String) -> String {
    let path = String(target.prefix { $0 != "?" })
    guard path.contains("//") else { return path }
    return path.reduce(into: "") { whole, next in
      if next != "/" || whole.last != "/" { whole.append(next) }
    }
  }

  /// The text without percent encoding. Bytes that are not UTF-8 become replacement characters.
  ///
  /// - Parameter spaces: whether `+` means a space, as in the queries that forms send.
  private static func decoded(_ text: Substring, spaces: Bool = true) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let code = UInt8(hexadecimal: rest.prefix(2)) {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(spaces && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// The byte that two hexadecimal digits mean. Nil for anything else.
  fileprivate init?(hexadecimal digits: Substring.UTF8View) {
    guard digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else {
      return nil
    }
    self.init(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}

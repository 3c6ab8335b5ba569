internal import Glibc
package import HTTPTypes
public import RPCCore

/// A body of a known length, of which a client may ask for any part, such as a file. The server reads it piece by piece
/// while the client takes it.
public struct HTTPContent: Sendable {
  /// The number of bytes.
  public let size: UInt64
  /// The fields of every answer with this content.
  private let fields: HTTPFields
  let read: @Sendable (_ offset: UInt64, _ count: Int) async throws -> [UInt8]

  /// Describes a content.
  ///
  /// - Parameters:
  ///   - contentType: the `Content-Type`.
  ///   - entityTag: a name for exactly these bytes, of letters, digits and hyphens.
  ///   - modificationTime: when the bytes last changed, in seconds since 1970 (UTC). Nil leaves it out.
  ///   - fileName: the name under which a browser saves the content.
  ///   - isAttachment: whether a browser saves the content instead of showing it.
  ///   - fields: further fields of the head.
  ///   - read: returns at most that many bytes from an offset on, and none only at the end of the content.
  public init(
    size: UInt64, contentType: String, entityTag: String, modificationTime: Int64? = nil, fileName: String,
    isAttachment: Bool,
    fields further: [(name: String, value: String)] = [],
    read: @escaping @Sendable (_ offset: UInt64, _ count: Int) async throws -> [UInt8]
  ) {
    self.size = size
    self.read = read
    var fields: HTTPFields = [
      .contentType: contentType, .acceptRanges: "bytes", .eTag: "\"\(entityTag)\"",
      // A browser may keep the bytes, and asks each time whether they are still these.
      .cacheControl: "no-cache",
      .contentDisposition: Self.disposition(fileName, isAttachment: isAttachment),
    ]
    if let modificationTime { fields[.lastModified] = Self.date(modificationTime) }
    for (name, value) in further {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    self.fields = fields
  }

  /// What the server answers to a request.
  package struct Answer: Sendable {
    /// The head, with the length of the body.
    package var head: HTTPResponse
    /// The bytes of the content that are the body. Nil when none of them are.
    package var range: Range<UInt64>?
    /// The body of a refusal.
    package var message = ""
  }

  /// The answer to a request with these fields: the content or a part of it, that the client has it already, or a
  /// refusal.
  package func answer(to request: HTTPFields) -> Answer {
    var head = HTTPResponse(status: .ok, headerFields: fields)
    if let tags = request[.ifMatch], !matches(tags) { return .refusal(.preconditionFailed, "The content has changed.") }
    if let tags = request[.ifNoneMatch] {
      if matches(tags) { return Answer(head: notModified) }
    } else if let date = request[.ifModifiedSince], date == fields[.lastModified] {
      return Answer(head: notModified)
    }
    // A client that has a part of other bytes gets everything. A date does not name the bytes exactly.
    let choice =
      request[.ifRange].map { $0 == fields[.eTag] } ?? true ? RangeChoice(request[.range], size: size) : .whole
    switch choice {
    case .unsatisfiable:
      var refusal = Answer.refusal(
        .rangeNotSatisfiable, "The content has \(size) bytes, and the range has none of them.")
      refusal.head.headerFields[.contentRange] = "bytes */\(size)"
      return refusal
    case .whole:
      head.headerFields[.contentLength] = "\(size)"
      return Answer(head: head, range: 0..<size)
    case .part(let range):
      head.status = .partialContent
      head.headerFields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
      head.headerFields[.contentLength] = "\(range.count)"
      return Answer(head: head, range: range)
    }
  }

  private var notModified: HTTPResponse {
    var head = HTTPResponse(status: .notModified, headerFields: fields)
    head.headerFields[.contentType] = nil
    return head
  }

  private func matches(_ tags: String) -> Bool { tags == "*" || tags.contains(fields[.eTag]!) }

  /// The field `Content-Disposition` (RFC 6266). Clients that do not know its UTF-8 form get underscores.
  private static func disposition(_ name: String, isAttachment: Bool) -> String {
    let plain = String(
      decoding: name.utf8.map { (0x20..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x5c ? $0 : 0x5f }, as: UTF8.self)
    let kind = isAttachment ? "attachment" : "inline"
    guard plain != name else { return "\(kind); filename=\"\(name)\"" }
    let encoded = name.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
        return String(character)
      }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(encoded.joined())"
  }

  /// The date in the form of RFC 9110, section 5.6.7.
  private static func date(_ seconds: Int64) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
    let day = "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
    return "\(days[Int(parts.tm_wday)]), \(day) \(clock) GMT"
  }
}

extension HTTPContent.Answer {
  fileprivate static func refusal(_ status: HTTPResponse.Status, _ message: String) -> Self {
    let body = message + "\n"
    let fields: HTTPFields = [.contentType: "text/plain; charset=utf-8", .contentLength: "\(body.utf8.count)"]
    return Self(head: HTTPResponse(status: status, headerFields: fields), message: body)
  }
}

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

/// A whole answer to a request for a page.
public struct HTTPAnswer: Sendable {
  /// The HTTP status code, for example 200.
  public let status: Int
  /// The fields of the head. The server adds the length, and the fields that every answer has.
  public let fields: [(name: String, value: String)]
  /// The body.
  public let body: [UInt8]

  /// Makes an answer of any kind.
  public init(status: Int = 200, contentType: String, fields: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.fields = [("Content-Type", contentType)] + fields
    self.body = body
  }

  /// Makes an answer of UTF-8 text.
  public init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", _ text: String) {
    self.init(status: status, contentType: contentType, body: Array(text.utf8))
  }

  /// Makes the answer for an error: its message, and the time after which another try may succeed.
  ///
  /// - Parameter status: the status; nil is the one that Connect has for the error's code.
  public init(_ error: RPCError, status: Int? = nil) {
    let seconds = error.retryDelay.map { max(1, $0.components.seconds) }
    self.init(
      status: status ?? ConnectCode(error.code).status.code, contentType: "text/plain; charset=utf-8",
      fields: seconds.map { [("Retry-After", "\($0)")] } ?? [], body: Array("\(error.message)\n".utf8))
  }

  /// The head of the answer.
  var head: HTTPResponse {
    var head = HTTPResponse(status: .init(code: status))
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
    }
    return head
  }
}

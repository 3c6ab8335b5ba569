internal import CaptureCore
internal import MovieRecording
internal import SystemClocks

/// What the query of `/recordings` asks for, for example `?session=front&start=2026-11-26T02:05:33Z&duration=10`.
struct ExportQuery: Hashable, Sendable {
  /// The frames of the movie.
  var span: ExportSpan
  /// The number of bytes of the movie that the client knows. Nil: any movie of the span.
  var size: UInt64?
  /// Whether a browser saves the movie instead of showing it.
  var isDownload = false

  /// The parameters that the query may have.
  static let names = ["session", "output", "start", "duration", "exact", "size", "download"]

  /// Reads the parameters of a query.
  ///
  /// - Throws: `invalidArgument` for a parameter that is missing, malformed or there twice.
  init(_ parameters: [(name: String, value: String)]) throws(CaptureError) {
    let values = try QueryParameters(parameters)
    guard let id = try values.sessionID(), !id.isEmpty else {
      throw .parameter("session", "", "The parameter session must name a session, for example front.")
    }
    let start = values["start"] ?? ""
    guard let time = WallInstant(time: start) else {
      throw .parameter(
        "start", start,
        "start must be a time such as 2026-11-26T02:05:33.25Z, or the seconds since 1970 such as 1795658733.25.")
    }
    let length = values["duration"] ?? ""
    guard let duration = Self.nanoseconds(length), (1...ExportSpan.maximumDuration).contains(duration) else {
      throw .parameter(
        "duration", length,
        "duration must be a number of seconds above 0 and at most \(ExportSpan.maximumDuration / 1_000_000_000).")
    }
    let output = values["output"] ?? ""
    span = ExportSpan(session: id, output: output.isEmpty ? nil : output, start: time, duration: duration)
    switch values["exact"] {
    case nil, "true": break
    case "false": span.isExact = false
    case let text?: throw .parameter("exact", text, "exact must be true or false.")
    }
    if let text = values["size"] {
      guard let number = UInt64(text) else { throw .parameter("size", text, "size must be a number of bytes.") }
      size = number
    }
    isDownload = values["download"] != nil
  }

  /// The address of this movie of the span and of no other one. It is relative to the one of the request, which may
  /// have another path before a proxy.
  ///
  /// - Parameters:
  ///   - size: the number of bytes of the movie.
  ///   - duration: the time from the start of the span to the end of the movie, in nanoseconds.
  func target(size: UInt64, duration: UInt64) -> String {
    let length = min(duration, span.duration)
    var target = "recordings?session=\(Self.encoded(span.session))"
    if let output = span.output { target += "&output=\(Self.encoded(output))" }
    target += "&start=\(Self.seconds(span.start.nanoseconds))&duration=\(Self.seconds(length))&size=\(size)"
    if !span.isExact { target += "&exact=false" }
    return isDownload ? "\(target)&download" : target
  }

  /// A number of nanoseconds as seconds with nine digits after the point.
  static func seconds(_ nanoseconds: UInt64) -> String {
    "\(nanoseconds / 1_000_000_000).\((nanoseconds % 1_000_000_000).padded(to: 9))"
  }

  /// Text with percent encoding.
  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let scalar = UnicodeScalar(byte)
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      if isPlain || "-._~".unicodeScalars.contains(scalar) { return String(Character(scalar)) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// The nanoseconds of a decimal number of seconds with up to nine digits after its point. Nil for anything else.
  static func nanoseconds(_ text: String) -> UInt64? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, !parts[0].isEmpty, parts[0].utf8.count <= 10,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let fraction = parts.count == 2 ? String(parts[1]) : "0"
    guard (1...9).contains(fraction.utf8.count), let whole = UInt64(parts[0]),
      let rest = UInt64(fraction + String(repeating: "0", count: 9 - fraction.utf8.count))
    else { return nil }
    return whole * 1_000_000_000 + rest
  }
}

extension WallInstant {
  /// Reads RFC 3339, or seconds since 1970. In a query `+` stands for a space, which RFC 3339 does not have.
  fileprivate init?(time text: String) {
    if let instant = WallInstant(rfc3339: String(text.map { $0 == " " ? "+" : $0 })) {
      self = instant
    } else if let nanoseconds = ExportQuery.nanoseconds(text) {
      self.init(nanoseconds: nanoseconds)
    } else {
      return nil
    }
  }
}

/// What the query of `/recordings/{id}` asks for, for example `?size=524288&download`.
struct RecordingQuery: Hashable, Sendable {
  /// The number of bytes of the recording's file that the client knows. Nil: as far as it plays now.
  let size: UInt64?
  /// Whether a browser saves the file instead of showing it.
  let isDownload: Bool

  /// The parameters that the query may have.
  static let names = ["download", "size"]

  /// Reads the parameters of a query.
  ///
  /// - Throws: `invalidArgument` for a parameter that is malformed or there twice.
  init(_ parameters: [(name: String, value: String)]) throws(CaptureError) {
    let values = try QueryParameters(parameters)
    isDownload = values["download"] != nil
    guard let text = values["size"] else {
      size = nil
      return
    }
    guard let number = UInt64(text), number > 0 else {
      throw .parameter("size", text, "size must be a number of bytes above 0.")
    }
    size = number
  }

  /// The address of the first `size` bytes of the recording's file, which are never others. It is relative to the one
  /// of the request, which may have another path before a proxy.
  func target(recording: String, size: UInt64) -> String {
    "\(recording)?size=\(size)" + (isDownload ? "&download" : "")
  }
}

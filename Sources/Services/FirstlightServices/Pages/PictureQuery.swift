internal import CaptureCore
internal import DelayedFeeds
internal import FrameDelivery
internal import HTTPTransport

/// What the query of a page with pictures asks for, for example `?session=front&width=640&fps=5` of `/stream.mjpg`.
struct PictureQuery: Hashable, Sendable {
  /// The id of the session, also as `sessions/{id}`. Nil for the session that viewers get by default.
  var session: String?
  /// The id of the preview. Empty for the session's only or main preview.
  var output = ""
  /// The pictures that the client wants.
  var request = PreviewRequest()
  /// How long after its capture the client wants each picture, in nanoseconds. Nil for the newest picture.
  var delay: UInt64?

  /// Whether a picture of a camera that has just started waits until the exposure has settled, where the page has one
  /// picture.
  var isSettled = true

  /// Whether the client wants the sound of the preview's microphones, where the page has sound.
  var hasSound = true

  /// The parameters that every page with pictures reads.
  static let names = ["session", "output", "width", "height", "quality", "fps"]
  /// The widths and heights of a JPEG, which no other encoding exceeds.
  private static let lengths = 2...65535

  /// Reads the parameters of a query.
  ///
  /// - Parameters:
  ///   - parameters: the parameters that the page reads, in the order of the query.
  ///   - encoding: the encoding of the page's pictures.
  /// - Throws: `invalidArgument` for a parameter that comes twice, and for a value out of its range.
  init(_ parameters: [(name: String, value: String)], encoding: PreviewEncoding = .jpeg) throws(CaptureError) {
    request.encoding = encoding
    let values = try QueryParameters(parameters)
    session = try values.sessionID()
    output = values["output"] ?? ""
    let width = try Self.number("width", values, in: Self.lengths)
    let height = try Self.number("height", values, in: Self.lengths)
    if width != nil || height != nil {
      // The picture fits into the box, so that a side which the client leaves out follows from the other one.
      request.maxSize = Size(width: width ?? Self.lengths.upperBound, height: height ?? Self.lengths.upperBound)
    }
    request.jpegQuality = try Self.number("quality", values, in: 1...100) ?? request.jpegQuality
    delay = try values["delay"].map(Self.delay)
    hasSound = try Self.choice("sound", values) ?? true
    isSettled = try Self.choice("settled", values) ?? true
    request.maxFrameRate = try values["fps"].map(Self.rate)
  }

  private static func number(
    _ name: String, _ values: QueryParameters, in range: ClosedRange<Int>
  ) throws(CaptureError) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .parameter(name, text, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private static func delay(_ text: String) throws(CaptureError) -> UInt64 {
    let longest = DelayedFeedRegistry.longest / 1_000_000_000
    guard let seconds = Double(text), (0...Double(longest)).contains(seconds) else {
      throw .parameter("delay", text, "delay must be a number of seconds from 0 to \(longest).")
    }
    return UInt64((seconds * 1e9).rounded())
  }

  private static func choice(_ name: String, _ values: QueryParameters) throws(CaptureError) -> Bool? {
    guard let text = values[name] else { return nil }
    guard text == "0" || text == "1" else { throw .parameter(name, text, "\(name) must be 0 or 1.") }
    return text == "1"
  }

  private static func rate(_ text: String) throws(CaptureError) -> Rational {
    guard let rate = Double(text), (0.01...1000).contains(rate) else {
      throw .parameter("fps", text, "fps must be a number from 0.01 to 1000.")
    }
    return Rational(UInt32((rate * 1000).rounded()), 1000)
  }
}

/// The parameters of a page's query, each of which may come once.
struct QueryParameters {
  private var values: [String: String] = [:]

  /// - Parameter parameters: the parameters in the order of the query.
  /// - Throws: `invalidArgument` for a parameter that comes twice.
  init(_ parameters: [(name: String, value: String)]) throws(CaptureError) {
    for (name, value) in parameters {
      guard values.updateValue(value, forKey: name) == nil else {
        throw .parameter(name, value, "The parameter \(name) must come only once.")
      }
    }
  }

  /// The value of a parameter. Nil when the query does not have it.
  subscript(name: String) -> String? { values[name] }

  /// The id of the session that the parameter `session` names, also as `sessions/{id}`.
  ///
  /// - Throws: `invalidArgument` for a malformed name.
  func sessionID() throws(CaptureError) -> String? {
    guard let name = values["session"], name.contains("/") else { return values["session"] }
    return try ResourceName.id(in: name, "sessions", field: "session")
  }
}

extension CaptureError {
  /// A parameter of a query is wrong.
  static func parameter(_ name: String, _ value: String, _ message: String) -> Self {
    CaptureError(
      .invalidArgument, message,
      metadata: ["parameter": String(name.prefix(80)), "value": String(value.prefix(80))], field: nil)
  }
}

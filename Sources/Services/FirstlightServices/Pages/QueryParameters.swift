internal import CaptureCore

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

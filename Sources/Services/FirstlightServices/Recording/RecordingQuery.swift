internal import CaptureCore

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

internal import CaptureCore

/// The parts of the API's resource names: `devices/{id}`, `sessions/{id}`, `captures/{id}`.
enum ResourceName {
  /// Bytes. The longest is that of a capture, whose id is 128 characters of up to four bytes.
  static let maximumLength = 640

  /// The id in `name`.
  ///
  /// - Throws: `invalidArgument` unless `name` is `collection/` and an id without slashes.
  static func id(in name: String, _ collection: String, field: String) throws(CaptureError) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == collection, !parts[1].isEmpty, name.utf8.count <= maximumLength else {
      throw CaptureError(
        .invalidArgument, "\"\(name.prefix(80))\" is not a name of the form \(collection)/{id}.",
        metadata: ["name": String(name.prefix(80))], field: field)
    }
    return String(parts[1])
  }
}

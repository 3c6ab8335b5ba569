internal import CaptureCore

/// Takes the resource names of the API apart: `devices/{id}`, `sessions/{id}`, `captures/{id}`.
enum ResourceName {
  /// The longest name that is accepted, in bytes of UTF-8. The longest valid name is that of a capture, whose id has up
  /// to 128 characters of up to four bytes each.
  static let maximumLength = 640

  /// Returns the id in `name`.
  ///
  /// - Parameters:
  ///   - collection: the first part of the name: `devices`, `sessions` or `captures`.
  ///   - field: the request's field that contains the name.
  /// - Throws: `invalidArgument` unless `name` is `collection`, one slash and an id without slashes, or when `name` is
  ///   longer than ``maximumLength``.
  static func id(in name: String, _ collection: String, field: String) throws(CaptureError) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == collection, !parts[1].isEmpty, name.utf8.count <= maximumLength else {
      throw CaptureError(
        .invalidArgument, "\"\(name.prefix(80))\" is not a name of the form \(collection)/{id}.",
        metadata: ["name": String(name.prefix(80))], field: field)
    }
    return String(parts[1])
  }

  /// The name of the camera with the id of a ``CapturedFrame/device``. Empty without one, and for a composition, whose
  /// id has a slash.
  static func camera(_ device: String) -> String {
    device.isEmpty || device.contains("/") ? "" : "devices/\(device)"
  }
}

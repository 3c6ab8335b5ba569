internal import CaptureCore

/// Checks of request fields.
enum Validation {
  /// An enum value this version does not know.
  static func unknownEnum(_ value: Int, field: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(value) is not a value of \(field).", metadata: ["value": "\(value)"], field: field)
  }

  /// - Returns: the value, or `standard` when it is not set.
  static func inRange<T: BinaryInteger & Sendable>(
    _ value: T?, _ range: ClosedRange<T>, default standard: T, field: String
  ) throws(CaptureError) -> T {
    guard let value else { return standard }
    guard range.contains(value) else {
      throw CaptureError(
        .invalidArgument, "\(field) is \(value); it must be from \(range.lowerBound) to \(range.upperBound).",
        metadata: ["value": "\(value)", "minimum": "\(range.lowerBound)", "maximum": "\(range.upperBound)"],
        field: field)
    }
    return value
  }
}

internal import CV4L2

/// An errno as a Swift error. The error does not say which call failed.
struct Errno: Error, Hashable {
  var rawValue: Int32

  init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The symbolic name, such as `"EBUSY"`. An errno for which the C library has no name gives its number in decimal.
  var name: String { CV4L2_errno_name(rawValue).map { String(cString: $0) } ?? String(rawValue) }
}

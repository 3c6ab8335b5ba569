internal import CV4L2

/// An errno, and nothing else.
struct Errno: Error, Hashable {
  var rawValue: Int32

  init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The symbolic name, `"EBUSY"`; the number in decimal when the C library has no name for it.
  var name: String { CV4L2_errno_name(rawValue).map { String(cString: $0) } ?? String(rawValue) }
}

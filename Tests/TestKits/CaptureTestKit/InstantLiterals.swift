public import SystemClocks

// Tests write many instants, most of them as plain numbers of nanoseconds. The daemon never writes an instant as a
// literal, so these conformances belong to the test kit.

extension MonotonicInstant: ExpressibleByIntegerLiteral {
  /// Makes an instant of the nanoseconds since the clock's epoch, so that tests can write it as a number.
  public init(integerLiteral nanoseconds: UInt64) { self.init(nanoseconds: nanoseconds) }
}

extension WallInstant: ExpressibleByIntegerLiteral {
  /// Makes an instant of the nanoseconds since the Unix epoch, so that tests can write it as a number.
  public init(integerLiteral nanoseconds: UInt64) { self.init(nanoseconds: nanoseconds) }
}

internal import CaptureCore

/// A temperature at which the kernel acts.
public struct TripPoint: Hashable, Sendable {
  /// What the kernel does there. The raw value is the kernel's word in `trip_point_N_type`.
  public enum Kind: String, Hashable, Sendable {
    /// Starts a fan.
    case active
    /// Throttles.
    case passive
    /// Tells the driver.
    case hot
    /// Switches the machine off.
    case critical
  }

  public var kind: Kind
  /// Thousandths of a degree Celsius; fits in 32 bits.
  public var millidegrees: Int

  public init(_ kind: Kind, millidegrees: Int) {
    self.kind = kind
    self.millidegrees = millidegrees
  }
}

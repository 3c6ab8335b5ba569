internal import CaptureCore

/// A temperature at which the kernel acts.
public struct TripPoint: Hashable, Sendable {
  /// What the kernel does at the temperature. The raw value is the kernel's word in `trip_point_N_type`.
  public enum Kind: String, Hashable, Sendable {
    /// The kernel starts a fan.
    case active
    /// The kernel throttles.
    case passive
    /// The kernel tells the driver.
    case hot
    /// The kernel switches the machine off.
    case critical

    /// Where a limit of this kind can lie, in thousandths of a degree Celsius. A working machine is as warm as 45 °C,
    /// and one that were in danger below 60 °C would be of no use.
    var plausible: ClosedRange<Int> {
      switch self {
      case .active, .passive: 45_000...PlausibleTemperature.range.upperBound
      case .hot, .critical: 60_000...PlausibleTemperature.range.upperBound
      }
    }
  }

  /// What the kernel does at the temperature.
  public var kind: Kind
  /// Thousandths of a degree Celsius; fits in 32 bits. Zero or less when the kernel has switched the trip off.
  public var millidegrees: Int

  /// Makes a trip point.
  ///
  /// - Parameters:
  ///   - kind: what the kernel does at the temperature.
  ///   - millidegrees: thousandths of a degree Celsius.
  public init(_ kind: Kind, millidegrees: Int) {
    self.kind = kind
    self.millidegrees = millidegrees
  }

  /// Whether the kernel has switched the trip off.
  var isSwitchedOff: Bool { millidegrees <= 0 }

  /// Whether the daemon acts on the trip.
  var isPlausible: Bool { kind.plausible.contains(millidegrees) }
}

internal import CaptureCore

/// A reading that can ask for a level.
protocol PressureSource: Hashable, Sendable {
  /// Whether the daemon's own load may cause this pressure, so that taking load off ends the pressure at once and
  /// giving the load back brings it again; see ``RelapseHold``.
  static var mayBeOurLoad: Bool { get }
  /// The name of the source, unique among the sources of its kind.
  var name: String { get }
  /// The level that this source alone gives, with hysteresis.
  var level: PressureLevel { get set }
  /// The reading that stands for a source which has disappeared, while its level still falls: without values, and with
  /// a fault that says so.
  var gone: Self { get }

  /// The claims of this reading; at most one for each factor.
  ///
  /// - Parameters:
  ///   - previous: the reading before this one; nil when there was none.
  ///   - overrides: the thresholds that an operator set.
  func claims(after previous: Self?, overrides: ThresholdOverrides) -> [Claim]
}

extension PressureSource {
  static var mayBeOurLoad: Bool { false }
}

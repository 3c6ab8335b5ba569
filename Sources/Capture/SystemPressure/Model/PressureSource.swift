internal import CaptureCore

/// A reading that can ask for a level.
protocol PressureSource: Hashable, Sendable {
  /// Whether taking load off ends it at once, and giving it back brings it again: see ``RelapseHold``.
  static var mayBeOurLoad: Bool { get }
  /// Unique among its kind.
  var name: String { get }
  /// What it alone means, with hysteresis.
  var level: PressureLevel { get set }
  /// What stands for it while its level falls after it has disappeared: no values, and a fault that says so.
  var gone: Self { get }

  /// What it asks for; at most one claim for each factor.
  ///
  /// - Parameter previous: the reading before, if there was one.
  func claims(after previous: Self?, overrides: ThresholdOverrides) -> [Claim]
}

extension PressureSource {
  static var mayBeOurLoad: Bool { false }
}

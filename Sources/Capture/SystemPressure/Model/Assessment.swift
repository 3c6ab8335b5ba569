internal import CaptureCore

/// What all sources together ask for.
struct Assessment: Hashable, Sendable {
  /// Every source above nominal.
  var causes: [PressureCause] = []
  /// Whether a source is above nominal or near it.
  var isWarm = false
}

internal import CaptureCore

/// What all sources together ask for.
struct Assessment: Hashable, Sendable {
  /// The cause of every source above nominal.
  var causes: [PressureCause] = []
  /// Whether at least one source is above nominal or near a level above nominal.
  var isWarm = false
}

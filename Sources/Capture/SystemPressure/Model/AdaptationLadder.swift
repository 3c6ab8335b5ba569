public import CaptureCore

/// The steps that sessions take under pressure, in order. A value.
///
/// The steps that people notice least come first: a preview that is smaller, coarser and slower is still a preview, and
/// a photo of fewer frames has more noise but shows the same content. A lower rate of the device takes frames from
/// programs too, so that step comes last in its level.
public struct AdaptationLadder: Hashable, Sendable {
  /// The steps in the order in which sessions take them. No step has a lower level than the step before it.
  public let steps: [AdaptationStep]

  /// Makes a ladder.
  ///
  /// - Parameter steps: the ladder sorts the steps by level, and keeps their order within a level.
  public init(_ steps: [AdaptationStep]) {
    self.steps = PressureLevel.allCases.flatMap { level in steps.filter { $0.level == level } }
  }

  /// The ladder of the daemon.
  public static let standard = AdaptationLadder([
    AdaptationStep(.previewSide(640), from: .serious),
    AdaptationStep(.previewQuality(50), from: .serious),
    // The preview rate is half the device rate of the step for the device below. Previews then show every second frame
    // of those that programs get, at even intervals.
    AdaptationStep(.previewRate(Rational(15, 2)), from: .serious),
    AdaptationStep(.ringWindow(300_000_000), from: .serious),
    AdaptationStep(.fusedFrames(4), from: .serious),
    AdaptationStep(.deviceRate(Rational(15, 1)), from: .serious),
    AdaptationStep(.fusedFrames(2), from: .critical),
    AdaptationStep(.deviceRate(Rational(5, 1)), from: .critical),
  ])

  /// What the pressure asks of the sessions of each camera, and of sessions on the machine as a whole.
  ///
  /// - Parameter state: the state of the scope ``PressureScope/everything``.
  public func demands(of state: PressureState) -> PressureDemands {
    let devices = state.readings.cameras.map { ($0.device, demand(of: state.scoped(to: .device($0.device)))) }
    return PressureDemands(
      machine: demand(of: state.scoped(to: .machine)), devices: Dictionary(devices) { first, _ in first })
  }

  /// What `state` asks of one session.
  func demand(of state: PressureState) -> PressureDemand {
    PressureDemand(
      level: state.level, causes: state.causes.filter { $0.level == state.level },
      steps: steps.filter { $0.level <= state.level })
  }
}

public import CaptureCore

/// What sessions do about pressure, in order. A value.
///
/// What costs people least comes first: a preview that is smaller, coarser and slower is still a preview, and a photo of
/// fewer frames has more noise and no less to see. The rate of the device takes from programs too, so it comes last.
public struct AdaptationLadder: Hashable, Sendable {
  /// Their levels never fall.
  public let steps: [AdaptationStep]

  /// - Parameter steps: sorted by level; within a level they stay in order.
  public init(_ steps: [AdaptationStep]) {
    self.steps = PressureLevel.allCases.flatMap { level in steps.filter { $0.level == level } }
  }

  /// The daemon's.
  public static let standard = AdaptationLadder([
    AdaptationStep(.previewSide(640), from: .serious),
    AdaptationStep(.previewQuality(50), from: .serious),
    // Half of the device's below: previews show some of the frames that programs get, and these come evenly.
    AdaptationStep(.previewRate(Rational(15, 2)), from: .serious),
    AdaptationStep(.ringWindow(300_000_000), from: .serious),
    AdaptationStep(.fusedFrames(4), from: .serious),
    AdaptationStep(.deviceRate(Rational(15, 1)), from: .serious),
    AdaptationStep(.fusedFrames(2), from: .critical),
    AdaptationStep(.deviceRate(Rational(5, 1)), from: .critical),
  ])

  /// What `state` asks of the sessions of all cameras.
  ///
  /// - Parameter state: of everything.
  public func demands(of state: PressureState) -> PressureDemands {
    let devices = state.readings.cameras.map { ($0.device, demand(of: state.scoped(to: .device($0.device)))) }
    return PressureDemands(
      machine: demand(of: state.scoped(to: .machine)), devices: Dictionary(devices) { first, _ in first })
  }

  /// What `state` asks of a session.
  func demand(of state: PressureState) -> PressureDemand {
    PressureDemand(
      level: state.level, causes: state.causes.filter { $0.level == state.level },
      steps: steps.filter { $0.level <= state.level })
  }
}

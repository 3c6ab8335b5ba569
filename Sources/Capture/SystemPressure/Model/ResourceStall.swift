public import CaptureCore

/// How long tasks waited for a resource: pressure stall information, the kernel's `Documentation/accounting/psi.rst`.
///
/// | in the last 10 s | fair from | serious from |
/// |---|---|---|
/// | some task waited for a processor | 80 % | 95 % |
/// | all tasks did | 20 % | 50 % |
/// | some task waited for memory | 20 % | 50 % |
/// | all tasks did | 5 % | 20 % |
/// | some task waited for a disk | 60 % | 90 % |
/// | all tasks did | 30 % | 60 % |
///
/// Never more than serious: waiting slows a camera down, it damages nothing. Falling needs a fifth less for 3 s, and for
/// longer each time the level comes back: what waits may well be our own load, which the ladder takes off and gives back.
public struct ResourceStall: Hashable, Sendable {
  public enum Resource: String, Hashable, Sendable, CaseIterable { case cpu, memory, io }
  /// Whose tasks: those of the whole machine, or those of the daemon's own container.
  public enum Scope: String, Hashable, Sendable { case host, cgroup }

  public var resource: Resource
  public var scope: Scope
  /// How much of the last 10 s at least one task waited, hundredths of a percent. Nil when it could not be read.
  public var someCentipercent: Int?
  /// How much of the last 10 s all tasks waited at once, hundredths of a percent. Nil when it could not be read, and for
  /// processors on older kernels.
  public var fullCentipercent: Int?
  /// What this alone means, with hysteresis; the model fills it in.
  public var level = PressureLevel.nominal
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(
    _ resource: Resource, _ scope: Scope, someCentipercent: Int? = nil, fullCentipercent: Int? = nil,
    fault: String? = nil
  ) {
    self.resource = resource
    self.scope = scope
    self.someCentipercent = someCentipercent
    self.fullCentipercent = fullCentipercent
    self.fault = fault
  }

  /// For example `host/memory`.
  public var name: String { "\(scope.rawValue)/\(resource.rawValue)" }

  /// What it causes.
  public var factor: PressureFactor {
    switch resource {
    case .cpu: .cpuPressure
    case .memory: .memoryPressure
    case .io: .ioPressure
    }
  }
}

extension ResourceStall: PressureSource {
  static var mayBeOurLoad: Bool { true }

  var gone: ResourceStall { ResourceStall(resource, scope, fault: "the pressure stall information is gone") }

  func claims(after previous: ResourceStall?, overrides: ThresholdOverrides) -> [Claim] {
    guard someCentipercent != nil || fullCentipercent != nil else { return [] }
    let shares: [(value: Int?, fair: Int, serious: Int)] =
      switch resource {
      case .cpu: [(someCentipercent, 80_00, 95_00), (fullCentipercent, 20_00, 50_00)]
      case .memory: [(someCentipercent, 20_00, 50_00), (fullCentipercent, 5_00, 20_00)]
      case .io: [(someCentipercent, 60_00, 90_00), (fullCentipercent, 30_00, 60_00)]
      }
    func level(_ scaled: (Int) -> Int) -> PressureLevel {
      shares.map { share in
        guard let value = share.value.map(scaled) else { return .nominal }
        return value >= share.serious ? .serious : value >= share.fair ? .fair : .nominal
      }.max() ?? .nominal
    }
    return [
      Claim(factor, risen: level { $0 }, kept: level { $0 * 5 / 4 }, isNear: level { $0 * 2 } > .nominal)
    ]
  }
}

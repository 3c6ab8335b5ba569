public import CaptureCore

/// How long tasks waited for a resource: pressure stall information, as in the kernel's
/// `Documentation/accounting/psi.rst`.
///
/// | in the last 10 s | fair from | serious from |
/// |---|---|---|
/// | some task waited for a processor | 80 % | 95 % |
/// | all tasks waited for a processor | 20 % | 50 % |
/// | some task waited for memory | 20 % | 50 % |
/// | all tasks waited for memory | 5 % | 20 % |
/// | some task waited for a disk | 60 % | 90 % |
/// | all tasks waited for a disk | 30 % | 60 % |
///
/// A stall never gives more than serious: waiting slows a camera down but damages nothing. The level falls when the
/// share has been a fifth below the threshold for 3 s, and for longer each time the level comes back: the tasks that
/// wait may be the daemon's own, whose load the ladder takes off and gives back.
public struct ResourceStall: Hashable, Sendable {
  /// A resource that tasks wait for: processors, memory, or disks (`io`).
  public enum Resource: String, Hashable, Sendable, CaseIterable { case cpu, memory, io }
  /// Whose tasks waited: those of the whole machine (`host`), or those of the daemon's own container (`cgroup`).
  public enum Scope: String, Hashable, Sendable { case host, cgroup }

  /// The resource that tasks waited for.
  public var resource: Resource
  /// Whose tasks waited.
  public var scope: Scope
  /// The share of the last 10 s in which at least one task waited, in hundredths of a percent. Nil when it could not be
  /// read.
  public var someCentipercent: Int?
  /// The share of the last 10 s in which all tasks waited at once, in hundredths of a percent. Nil when it could not be
  /// read, and for processors on older kernels.
  public var fullCentipercent: Int?
  /// The level that this stall alone gives, with hysteresis. The model sets the level.
  public var level = PressureLevel.nominal
  /// Why the model does not act on the reading. ``PlausibilityCheck`` sets the doubt; nil when the reading counts.
  public var doubt: Doubt?
  /// A text for people that says what could not be read or is not plausible. Nil when nothing is wrong.
  public var fault: String?

  /// Makes a reading at the level nominal.
  ///
  /// - Parameters:
  ///   - resource: the resource that tasks waited for.
  ///   - scope: whose tasks waited.
  ///   - someCentipercent: the share of the last 10 s in which at least one task waited, in hundredths of a percent.
  ///   - fullCentipercent: the share of the last 10 s in which all tasks waited, in hundredths of a percent.
  ///   - fault: what could not be read. Nil when everything could be read.
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

  /// The name of the source, for example `host/memory`.
  public var name: String { "\(scope.rawValue)/\(resource.rawValue)" }

  /// The factor that tasks waiting for this resource give.
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
    guard doubt == nil, someCentipercent != nil || fullCentipercent != nil else { return [] }
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

public import CaptureCore

/// Something the kernel cools with: a fan, or a processor that it slows down. A reaction and no cause: gives no level.
public struct CoolingDevice: Hashable, Sendable {
  /// Its folder, for example `cooling_device0`.
  public var name: String
  /// What it is, for example `Processor` or `pwm-fan`. Empty when it could not be read.
  public var type: String
  /// How hard it works: 0 is off, `maximumState` as hard as it can. Nil when it could not be read or is idle.
  public var state: Int?
  /// Nil when it could not be read.
  public var maximumState: Int?
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(name: String, type: String, state: Int?, maximumState: Int?, fault: String? = nil) {
    self.name = name
    self.type = type
    self.state = state
    self.maximumState = maximumState
    self.fault = fault
  }
}

/// How fast some processors may run. An administrator may have set it, so it gives no level.
public struct FrequencyLimit: Hashable, Sendable {
  /// Its folder, for example `policy0`.
  public var name: String
  /// The highest frequency allowed now, kHz. Nil when it could not be read.
  public var allowedKilohertz: Int?
  /// The highest frequency the hardware has, kHz. Nil when it could not be read.
  public var hardwareKilohertz: Int?
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(name: String, allowedKilohertz: Int?, hardwareKilohertz: Int?, fault: String? = nil) {
    self.name = name
    self.allowedKilohertz = allowedKilohertz
    self.hardwareKilohertz = hardwareKilohertz
    self.fault = fault
  }
}

/// How often the processors throttled themselves for heat since boot. While that grows, the level is fair.
public struct ThrottleCounter: Hashable, Sendable {
  /// `thermal_throttle`.
  public var name: String
  /// What each processor counted: `cpu0/core_throttle_count` and so on. Those that could not be read are missing.
  public var processors: [String: Int]
  /// What this alone means, with hysteresis; the model fills it in.
  public var level = PressureLevel.nominal
  /// What could not be read, for people. Nil when everything could.
  public var fault: String?

  public init(name: String = "thermal_throttle", processors: [String: Int] = [:], fault: String? = nil) {
    self.name = name
    self.processors = processors
    self.fault = fault
  }

  /// The sum over all processors. Nil when none could be read.
  public var events: Int? { processors.isEmpty ? nil : processors.values.reduce(0, +) }
}

extension ThrottleCounter: PressureSource {
  var gone: ThrottleCounter { ThrottleCounter(name: name, fault: "the counters are gone") }

  func claims(after previous: ThrottleCounter?, overrides: ThresholdOverrides) -> [Claim] {
    // Each against itself: one that is switched on, or can be read again, brings what it counted before: no news.
    let grows = processors.contains { name, events in previous?.processors[name].map { events > $0 } == true }
    return grows ? [Claim(.systemTemperature, risen: .fair)] : []
  }
}

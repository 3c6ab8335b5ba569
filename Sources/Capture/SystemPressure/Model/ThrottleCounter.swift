public import CaptureCore

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

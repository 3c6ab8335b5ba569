public import CaptureCore

/// How often the processors throttled themselves because of heat since boot. The level is fair while the number grows.
public struct ThrottleCounter: Hashable, Sendable {
  /// The name of the source, `thermal_throttle`.
  public var name: String
  /// The count of each counter, by names such as `cpu0/core_throttle_count`. Counters that could not be read are
  /// missing.
  public var processors: [String: Int]
  /// The level that this counter alone gives, with hysteresis. The model sets the level.
  public var level = PressureLevel.nominal
  /// What could not be read, as a text for people. Nil when everything could be read.
  public var fault: String?

  /// Makes a reading at the level nominal.
  ///
  /// - Parameters:
  ///   - name: the name of the source.
  ///   - processors: the count of each counter, by names such as `cpu0/core_throttle_count`.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(name: String = "thermal_throttle", processors: [String: Int] = [:], fault: String? = nil) {
    self.name = name
    self.processors = processors
    self.fault = fault
  }

  /// The sum over all counters. Nil when no counter could be read.
  public var events: Int? { processors.isEmpty ? nil : processors.values.reduce(0, +) }
}

extension ThrottleCounter: PressureSource {
  var gone: ThrottleCounter { ThrottleCounter(name: name, fault: "the counters are gone") }

  func claims(after previous: ThrottleCounter?, overrides: ThresholdOverrides) -> [Claim] {
    // The comparison is per counter. A counter of a processor that was switched on, or that can be read again, brings
    // events that it counted before, which are no news.
    let grows = processors.contains { name, events in previous?.processors[name].map { events > $0 } == true }
    return grows ? [Claim(.systemTemperature, risen: .fair)] : []
  }
}

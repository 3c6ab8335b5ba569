public import CaptureCore

/// A device with which the kernel cools: a fan, or a processor that the kernel slows down. A cooling device reacts to
/// heat and does not cause it, so it gives no level.
public struct CoolingDevice: Hashable, Sendable {
  /// The folder of the device, for example `cooling_device0`.
  public var name: String
  /// The kind of device, for example `Processor` or `pwm-fan`. Empty when the kind could not be read.
  public var type: String
  /// How hard the device works: 0 is off, and `maximumState` is as hard as the device can. Nil when the state could not
  /// be read, or when the device is idle and tells no state.
  public var state: Int?
  /// The highest state of the device. Nil when it could not be read.
  public var maximumState: Int?
  /// What could not be read, as a text for people. Nil when everything could be read.
  public var fault: String?

  /// Makes a reading.
  ///
  /// - Parameters:
  ///   - name: the folder of the device.
  ///   - type: the kind of device. Empty when the kind could not be read.
  ///   - state: how hard the device works. Nil when the state could not be read or the device is idle.
  ///   - maximumState: the highest state. Nil when it could not be read.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(name: String, type: String, state: Int?, maximumState: Int?, fault: String? = nil) {
    self.name = name
    self.type = type
    self.state = state
    self.maximumState = maximumState
    self.fault = fault
  }
}

/// How fast a group of processors may run. An administrator may have set the limit on purpose, so it gives no level.
public struct FrequencyLimit: Hashable, Sendable {
  /// The folder of the group, for example `policy0`.
  public var name: String
  /// The highest frequency that is allowed now, in kHz. Nil when it could not be read.
  public var allowedKilohertz: Int?
  /// The highest frequency that the hardware has, in kHz. Nil when it could not be read.
  public var hardwareKilohertz: Int?
  /// What could not be read, as a text for people. Nil when everything could be read.
  public var fault: String?

  /// Makes a reading.
  ///
  /// - Parameters:
  ///   - name: the folder of the group.
  ///   - allowedKilohertz: the highest frequency that is allowed now, in kHz. Nil when it could not be read.
  ///   - hardwareKilohertz: the highest frequency that the hardware has, in kHz. Nil when it could not be read.
  ///   - fault: what could not be read. Nil when everything could be read.
  public init(name: String, allowedKilohertz: Int?, hardwareKilohertz: Int?, fault: String? = nil) {
    self.name = name
    self.allowedKilohertz = allowedKilohertz
    self.hardwareKilohertz = hardwareKilohertz
    self.fault = fault
  }
}

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

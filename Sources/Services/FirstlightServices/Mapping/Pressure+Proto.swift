internal import CaptureCore
internal import FirstlightAPI
internal import SwiftProtobuf
internal import SystemPressure

extension PressureState {
  var proto: Firstlight_V1_SystemPressureState {
    .with {
      $0.level = level.proto
      $0.factors = factors.map(\.proto)
      $0.causes = causes.map(\.proto)
      $0.simulated = isSimulated
      $0.readings = readings.zones.map(\.proto)
      $0.sensors = readings.sensors.map(\.proto)
      $0.coolingDevices = readings.coolingDevices.map(\.proto)
      $0.frequencyLimits = readings.frequencyLimits.map(\.proto)
      $0.throttleCounters = readings.throttleCounters.map(\.proto)
      $0.powerSupplies = readings.powerSupplies.map(\.proto)
      $0.supplyAlarms = readings.supplyAlarms.map(\.proto)
      $0.stalls = readings.stalls.map(\.proto)
      $0.cameras = readings.cameras.map(\.proto)
      $0.faults = readings.faults
      $0.readTime = .init(readTime)
    }
  }
}

extension PressureCause {
  var proto: Firstlight_V1_PressureCause {
    .with {
      $0.factor = factor.proto
      $0.level = level.proto
      $0.source = source
    }
  }
}

extension PressureLevel {
  /// Reads a level from a request.
  ///
  /// - Throws: `invalidArgument` when the client names no level, or a level that this version does not know.
  init(_ proto: Firstlight_V1_SystemPressureLevel, field: String) throws(CaptureError) {
    switch proto {
    case .nominal: self = .nominal
    case .fair: self = .fair
    case .serious: self = .serious
    case .critical: self = .critical
    case .shutdown: self = .shutdown
    case .unspecified, .UNRECOGNIZED: throw Validation.unknownEnum(proto.rawValue, field: field)
    }
  }

  var proto: Firstlight_V1_SystemPressureLevel {
    switch self {
    case .nominal: .nominal
    case .fair: .fair
    case .serious: .serious
    case .critical: .critical
    case .shutdown: .shutdown
    }
  }
}

extension PressureFactor {
  /// Reads a factor from a request. A client that names none gets the temperature of the system.
  ///
  /// - Throws: `invalidArgument` for a factor that this version does not know.
  init(_ proto: Firstlight_V1_SystemPressureFactor, field: String) throws(CaptureError) {
    switch proto {
    case .unspecified, .systemTemperature: self = .systemTemperature
    case .peakPower: self = .peakPower
    case .cameraTemperature: self = .cameraTemperature
    case .cpuPressure: self = .cpuPressure
    case .memoryPressure: self = .memoryPressure
    case .ioPressure: self = .ioPressure
    case .UNRECOGNIZED: throw Validation.unknownEnum(proto.rawValue, field: field)
    }
  }

  var proto: Firstlight_V1_SystemPressureFactor {
    switch self {
    case .systemTemperature: .systemTemperature
    case .peakPower: .peakPower
    case .cameraTemperature: .cameraTemperature
    case .cpuPressure: .cpuPressure
    case .memoryPressure: .memoryPressure
    case .ioPressure: .ioPressure
    }
  }
}

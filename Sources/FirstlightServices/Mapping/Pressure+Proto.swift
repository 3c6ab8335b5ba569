internal import FirstlightAPI
internal import SwiftProtobuf
internal import SystemPressure

extension PressureState {
  var proto: Firstlight_V1_SystemPressureState {
    .with {
      $0.level = level.proto
      $0.factors = factors.map(\.proto)
      $0.readings = readings.map(\.proto)
      $0.readTime = .init(wallNanoseconds: readTimeWallNanoseconds)
    }
  }
}

extension PressureLevel {
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
  var proto: Firstlight_V1_SystemPressureFactor {
    switch self {
    case .systemTemperature: .systemTemperature
    }
  }
}

extension ThermalReading {
  var proto: Firstlight_V1_ThermalReading {
    .with {
      $0.zone = zone.name
      $0.type = zone.type
      if let millidegrees = zone.millidegrees { $0.temperatureMillidegrees = Int32(clamping: millidegrees) }
      $0.trips = zone.trips.map { trip in
        .with {
          $0.type = trip.kind.rawValue
          $0.temperatureMillidegrees = Int32(clamping: trip.millidegrees)
        }
      }
      $0.level = level.proto
      $0.fault = zone.fault ?? ""
    }
  }
}

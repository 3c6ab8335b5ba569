internal import FirstlightAPI
internal import SwiftProtobuf
internal import SystemPressure

extension ThermalZone {
  var proto: Firstlight_V1_ThermalReading {
    .with {
      $0.zone = name
      $0.type = type
      if let millidegrees { $0.temperatureMillidegrees = Int32(clamping: millidegrees) }
      $0.trips = trips.map { trip in
        .with {
          $0.type = trip.kind.rawValue
          $0.temperatureMillidegrees = Int32(clamping: trip.millidegrees)
        }
      }
      $0.level = level.proto
      $0.fault = fault ?? ""
      if let trendMillidegreesPerMinute {
        $0.trendMillidegreesPerMinute = Int32(clamping: trendMillidegreesPerMinute)
      }
    }
  }
}

extension TemperatureSensor {
  var proto: Firstlight_V1_TemperatureSensorReading {
    .with {
      $0.name = name
      $0.chip = chip
      $0.label = label
      if let millidegrees { $0.temperatureMillidegrees = Int32(clamping: millidegrees) }
      if let maximumMillidegrees { $0.maximumMillidegrees = Int32(clamping: maximumMillidegrees) }
      if let criticalMillidegrees { $0.criticalMillidegrees = Int32(clamping: criticalMillidegrees) }
      $0.level = level.proto
      $0.fault = fault ?? ""
    }
  }
}

extension CoolingDevice {
  var proto: Firstlight_V1_CoolingDeviceReading {
    .with {
      $0.name = name
      $0.type = type
      if let state { $0.coolingState = Int32(clamping: state) }
      if let maximumState { $0.maximumCoolingState = Int32(clamping: maximumState) }
      $0.fault = fault ?? ""
    }
  }
}

extension FrequencyLimit {
  var proto: Firstlight_V1_FrequencyLimitReading {
    .with {
      $0.name = name
      if let allowedKilohertz { $0.allowedKilohertz = Int32(clamping: allowedKilohertz) }
      if let hardwareKilohertz { $0.hardwareKilohertz = Int32(clamping: hardwareKilohertz) }
      $0.fault = fault ?? ""
    }
  }
}

extension ThrottleCounter {
  var proto: Firstlight_V1_ThrottleCounterReading {
    .with {
      $0.name = name
      if let events { $0.events = Int64(events) }
      $0.level = level.proto
      $0.fault = fault ?? ""
    }
  }
}

extension PowerSupply {
  var proto: Firstlight_V1_PowerSupplyReading {
    .with {
      $0.name = name
      $0.type = type
      $0.chargingStatus = status
      $0.capacityLevel = capacityLevel
      $0.health = health
      if let capacityPercent { $0.capacityPercent = Int32(clamping: capacityPercent) }
      $0.connection = connection?.proto ?? .unspecified
      $0.suppliesDevice = suppliesDevice
      $0.level = level.proto
      $0.fault = fault ?? ""
    }
  }
}

extension PowerSupply.Connection {
  fileprivate var proto: Firstlight_V1_PowerSupplyReading.Connection {
    switch self {
    case .offline: .offline
    case .online: .online
    case .onlineProgrammable: .onlineProgrammable
    }
  }
}

extension SupplyAlarm {
  var proto: Firstlight_V1_SupplyAlarmReading {
    .with {
      $0.name = name
      $0.chip = chip
      $0.underVoltage = warnings?.contains(.underVoltage) ?? false
      $0.frequencyCapped = warnings?.contains(.frequencyCapped) ?? false
      $0.throttled = warnings?.contains(.throttled) ?? false
      $0.temperatureLimit = warnings?.contains(.temperatureLimit) ?? false
      $0.level = level.proto
      $0.fault = fault ?? ""
    }
  }
}

extension ResourceStall {
  var proto: Firstlight_V1_ResourceStallReading {
    .with {
      $0.name = name
      $0.scope = scope == .host ? .host : .cgroup
      $0.factor = factor.proto
      if let someCentipercent { $0.somePercent = Double(someCentipercent) / 100 }
      if let fullCentipercent { $0.fullPercent = Double(fullCentipercent) / 100 }
      $0.level = level.proto
      $0.fault = fault ?? ""
    }
  }
}

extension CameraTemperature {
  var proto: Firstlight_V1_CameraReading {
    .with {
      $0.device = "devices/\(device)"
      $0.control = control
      if let millidegrees { $0.temperatureMillidegrees = Int32(clamping: millidegrees) }
      $0.level = level.proto
      $0.fault = fault ?? ""
    }
  }
}

extension PressureHistoryPoint {
  var proto: Firstlight_V1_PressureHistoryPoint {
    .with {
      $0.startTime = .init(start)
      $0.duration = .init(nanoseconds: Int64(clamping: durationNanoseconds))
      $0.worstLevel = worstLevel.proto
      $0.bestLevel = bestLevel.proto
      $0.samples = Int32(clamping: samples)
      $0.temperatures = temperatures.map { temperature in
        .with {
          $0.source = temperature.name
          $0.minimumMillidegrees = Int32(clamping: temperature.minimum)
          $0.meanMillidegrees = Int32(clamping: temperature.mean)
          $0.maximumMillidegrees = Int32(clamping: temperature.maximum)
        }
      }
    }
  }
}

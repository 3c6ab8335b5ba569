internal import CaptureCore
internal import SystemClocks
internal import SystemPressure

extension MetricsText {
  /// Adds the metrics of system pressure.
  ///
  /// The pressure metrics have one series for the machine alone and one for each camera. A camera's series is the
  /// pressure of the machine and the camera together. The label `device` names the camera. For the machine the label is
  /// empty, which Prometheus treats as no label.
  ///
  /// - Parameter state: the pressure state of the scope `everything`.
  mutating func add(_ state: PressureState) {
    let scopes: [(device: String, state: PressureState)] =
      [("", state.scoped(to: .machine))]
      + state.readings.cameras.map { ("devices/\($0.device)", state.scoped(to: .device($0.device))) }
    add(
      "firstlight_pressure_level", .gauge,
      "System pressure: 0 nominal, 1 fair, 2 serious, 3 critical, 4 shutdown. That of the machine, or with a "
        + "camera label that of a hot camera.",
      scopes.map { MetricSample($0.state.level.rawValue, ["device": $0.device]) })
    add(
      "firstlight_pressure_factor", .gauge, "1 for what causes the level, else 0.",
      scopes.flatMap { scope in
        PressureFactor.allCases.map { factor in
          MetricSample(
            scope.state.factors.contains(factor) ? 1 : 0, ["device": scope.device, "factor": factor.label])
        }
      })
    add(
      "firstlight_pressure_simulated", .gauge, "1 while the level is a drill's.",
      scopes.map { MetricSample($0.state.isSimulated ? 1 : 0, ["device": $0.device]) })
    add(
      "firstlight_pressure_read_timestamp_seconds", .gauge, "When the daemon read the machine's sensors last.",
      Double(state.readTime.nanoseconds) / 1e9)
    addTemperatures(state.readings)
    addCooling(state.readings)
    addPower(state.readings)
    add(
      "firstlight_pressure_stall_ratio", .gauge, "Share of the last 10 s in which some, or all, tasks waited.",
      state.readings.stalls.flatMap { stall in
        [("some", stall.someCentipercent), ("full", stall.fullCentipercent)].compactMap { kind, share in
          share.map {
            MetricSample(
              Double($0) / 10_000,
              ["scope": stall.scope.rawValue, "resource": stall.resource.rawValue, "tasks": kind])
          }
        }
      })
  }

  private mutating func addTemperatures(_ readings: PressureReadings) {
    add(
      "firstlight_temperature_celsius", .gauge, "Temperature of a thermal zone of the kernel.",
      readings.zones.compactMap { zone in
        zone.millidegrees.map { MetricSample(Double($0) / 1000, ["zone": zone.name, "type": zone.type]) }
      })
    add(
      "firstlight_sensor_temperature_celsius", .gauge, "Temperature of a chip that is not a thermal zone.",
      readings.sensors.compactMap { sensor in
        sensor.millidegrees.map {
          MetricSample(Double($0) / 1000, ["sensor": sensor.name, "chip": sensor.chip, "label": sensor.label])
        }
      })
    add(
      "firstlight_camera_temperature_celsius", .gauge, "Temperature that a streaming camera reports.",
      readings.cameras.compactMap { camera in
        camera.millidegrees.map { MetricSample(Double($0) / 1000, ["device": "devices/\(camera.device)"]) }
      })
  }

  private mutating func addCooling(_ readings: PressureReadings) {
    let cooling = readings.coolingDevices
    add(
      "firstlight_cooling_state", .gauge, "How hard a fan or another cooling device works; 0 is off.",
      cooling.compactMap { device in
        device.state.map { MetricSample($0, ["cooling_device": device.name, "type": device.type]) }
      })
    add(
      "firstlight_cooling_max_state", .gauge, "How hard the cooling device can work.",
      cooling.compactMap { device in
        device.maximumState.map { MetricSample($0, ["cooling_device": device.name, "type": device.type]) }
      })
    add(
      "firstlight_cpu_frequency_limit_hertz", .gauge, "The highest frequency allowed now.",
      readings.frequencyLimits.compactMap { limit in
        limit.allowedKilohertz.map { MetricSample(Double($0) * 1000, ["policy": limit.name]) }
      })
    add(
      "firstlight_cpu_frequency_max_hertz", .gauge, "The highest frequency the hardware has.",
      readings.frequencyLimits.compactMap { limit in
        limit.hardwareKilohertz.map { MetricSample(Double($0) * 1000, ["policy": limit.name]) }
      })
    add(
      "firstlight_cpu_throttle_events_total", .counter, "How often processors throttled for heat since boot.",
      readings.throttleCounters.first?.events)
  }

  private mutating func addPower(_ readings: PressureReadings) {
    add(
      "firstlight_power_supply_capacity_ratio", .gauge, "How full a battery is.",
      readings.powerSupplies.compactMap { supply in
        supply.capacityPercent.map { MetricSample(Double($0) / 100, ["supply": supply.name]) }
      })
    add(
      "firstlight_power_supply_online", .gauge, "1 while a charger is connected, else 0.",
      readings.powerSupplies.compactMap { supply in
        supply.isOnline.map { MetricSample($0 ? 1 : 0, ["supply": supply.name]) }
      })
    add(
      "firstlight_supply_alarm", .gauge, "1 while firmware or a voltage monitor warns, else 0.",
      readings.supplyAlarms.flatMap { alarm in
        (alarm.warnings.map { warnings in SupplyAlarm.Warning.allCases.map { ($0, warnings.contains($0)) } } ?? [])
          .map { warning, isPresent in
            MetricSample(isPresent ? 1 : 0, ["alarm": alarm.name, "chip": alarm.chip, "warning": warning.label])
          }
      })
  }
}

extension PressureFactor {
  /// The name of the factor in the contract, in lower case.
  fileprivate var label: String {
    switch self {
    case .systemTemperature: "system_temperature"
    case .peakPower: "peak_power"
    case .cameraTemperature: "camera_temperature"
    case .cpuPressure: "cpu_pressure"
    case .memoryPressure: "memory_pressure"
    case .ioPressure: "io_pressure"
    }
  }
}

extension SupplyAlarm.Warning {
  fileprivate var label: String {
    switch self {
    case .underVoltage: "under_voltage"
    case .frequencyCapped: "frequency_capped"
    case .throttled: "throttled"
    case .temperatureLimit: "temperature_limit"
    }
  }
}

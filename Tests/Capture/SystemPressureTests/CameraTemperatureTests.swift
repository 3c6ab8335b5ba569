import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

/// The temperature that a camera tells through a control of its driver: which controls count, in which unit, and whose
/// level the temperature raises.
@Suite struct CameraTemperatureTests {
  private func control(
    _ name: String = "Sensor Temperature", maximum: Int64 = 125, value: ControlValue? = .integer(42),
    isReadOnly: Bool = true, kind: Control.Kind = .integer
  ) -> Control {
    var control = Control(
      id: Control.id(ofName: name), displayName: name, kind: kind, minimum: -40, maximum: maximum)
    control.value = value
    control.flags.isReadOnly = isReadOnly
    return control
  }

  /// V4L2 defines no unit for a camera's temperature, so the control's maximum tells the unit: 125 means degrees
  /// Celsius, 1,250 tenths, 12,500 hundredths and 125,000 thousandths.
  @Test(arguments: [(125, 42, 42_000), (1_250, 425, 42_500), (12_500, 4_250, 42_500), (125_000, 42_500, 42_500)])
  func theMaximumTellsTheUnit(maximum: Int64, value: Int64, millidegrees: Int) {
    let reading = CameraTemperature(
      device: "cam", controls: [control("Brightness"), control(maximum: maximum, value: .integer(value))])
    #expect(reading == CameraTemperature(device: "cam", control: "sensor_temperature", millidegrees: millidegrees))
  }

  /// A colour temperature, a temperature that can be set, a menu and a limit are no temperature of the camera.
  @Test func controlsThatAreNoHeatAreIgnored() {
    let controls = [
      control("White Balance Temperature", maximum: 6_500, isReadOnly: false),
      control("Color Temperature", maximum: 6_500), control("Temperature", isReadOnly: false),
      control("Temperature", kind: .menu), control("Temperature Limit"),
    ]
    #expect(CameraTemperature(device: "cam", controls: controls) == nil)
  }

  /// A control without a value, with an implausible number or with a text gives a reading with a fault and without a
  /// temperature.
  @Test(arguments: [nil, .integer(.max), .integer(-300), .text("hot")] as [ControlValue?])
  func anImplausibleTemperatureIsAFault(value: ControlValue?) {
    let reading = CameraTemperature(device: "cam", controls: [control(value: value)])
    #expect(reading?.millidegrees == nil)
    #expect(reading?.fault != nil)
  }

  /// The model's state after one reading at `seconds`. The camera is at `celsius` degrees, or gives no reading when
  /// `celsius` is nil; the machine's thermal zone is at `zone` degrees Celsius.
  private func state(
    _ model: inout PressureModel, _ celsius: Int?, at seconds: UInt64, zone: Int = 20
  ) -> PressureState {
    var readings = PressureReadings(zones: [
      ThermalZone(
        name: "thermal_zone0", type: "cpu", millidegrees: zone * 1_000,
        trips: [TripPoint(.passive, millidegrees: 80_000), TripPoint(.critical, millidegrees: 100_000)])
    ])
    readings.cameras = celsius.map { [CameraTemperature(device: "cam", control: "t", millidegrees: $0 * 1_000)] } ?? []
    return model.update(readings, now: .epoch + seconds * 1_000_000_000, wallTime: 0)
  }

  /// A hot camera raises the level of its own scope. The machine and other cameras stay nominal, so that sessions of
  /// other cameras take no steps.
  @Test func aHotCameraRaisesOnlyTheLevelOfItsDevice() {
    var model = PressureModel()
    let course: [(seconds: UInt64, celsius: Int, level: PressureLevel)] = [
      (0, 60, .nominal), (1, 66, .fair), (2, 76, .serious), (3, 90, .critical),
    ]
    for (second, celsius, level) in course {
      let state = state(&model, celsius, at: second)
      #expect(state.scoped(to: .device("cam")).level == level)
      #expect(state.scoped(to: .device("cam")).factors == (level > .nominal ? [.cameraTemperature] : []))
      #expect(state.scoped(to: .machine).level == .nominal)
      #expect(state.scoped(to: .machine).readings.cameras.isEmpty)
      #expect(state.scoped(to: .device("other")).level == .nominal)
    }
    #expect(model.isWarm)
  }

  /// The scope of a camera has the causes of the machine and of the camera, and the worse of the two levels. Other
  /// cameras have only the causes of the machine.
  @Test func theWorseOfMachineAndCameraGivesTheLevel() {
    var model = PressureModel()
    let state = state(&model, 76, at: 0, zone: 96)
    let scoped = state.scoped(to: .device("cam"))
    #expect((scoped.level, scoped.factors) == (.shutdown, [.systemTemperature]))
    #expect(scoped.causes.map(\.source) == ["thermal_zone0", "devices/cam"])
    let demands = AdaptationLadder.standard.demands(of: state)
    #expect(demands.demand(of: "cam").level == .shutdown)
    #expect(demands.demand(of: "other").causes.map(\.source) == ["thermal_zone0"])
  }

  /// A camera that is missing from the readings keeps its level for 3 s, with a fault. The model then forgets the
  /// camera, so that its level does not stay for ever.
  @Test func aCameraThatNoLongerStreamsCoolsDown() {
    var model = PressureModel()
    _ = state(&model, 90, at: 0)
    let left = state(&model, nil, at: 1)
    #expect(left.level == .critical)
    #expect(left.readings.cameras.first?.fault != nil)
    _ = state(&model, nil, at: 2)
    let over = state(&model, nil, at: 10)
    #expect(over.level == .nominal)
    #expect(over.readings.cameras.isEmpty)
  }

  /// An operator's thresholds for `devices/` and the camera's id replace the default thresholds. 61 °C is shutdown
  /// here, a level that the default thresholds never give.
  @Test func operatorsSetThresholdsOfADevice() {
    var overrides = ThresholdOverrides()
    let isRead = overrides.add("devices/cam=30/40/50/60")
    #expect(isRead)
    var model = PressureModel(overrides: overrides)
    #expect(state(&model, 61, at: 0).scoped(to: .device("cam")).level == .shutdown)
  }

  /// A drill adds its cause to every scope. A scope counts as simulated only where no measured cause is as bad as the
  /// drill, so the scope of the hot camera does not count as simulated and the machine does.
  @Test func aDrillAddsItsCauseToEveryScope() {
    var model = PressureModel()
    let drill = PressureDrill(level: .serious, factor: .peakPower, end: 0)
    let state = drill.applied(to: state(&model, 90, at: 0))
    #expect(!state.isSimulated && !state.scoped(to: .device("cam")).isSimulated)
    #expect(state.scoped(to: .machine).isSimulated)
    #expect(state.scoped(to: .machine).level == .serious)
  }
}

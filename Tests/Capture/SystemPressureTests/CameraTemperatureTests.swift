import CaptureCore
import CaptureTestKit
import SystemClocks
import Testing

@testable import SystemPressure

@Suite struct CameraTemperatureTests {
  private func control(
    _ name: String = "Sensor Temperature", maximum: Int64 = 125, value: ControlValue? = .integer(42),
    isReadOnly: Bool = true, kind: Control.Kind = .integer
  ) -> Control {
    var control = Control(
      id: Control.id(ofName: name), displayName: name, kind: kind, minimum: -40, maximum: maximum)
    control.value = value
    control.isReadOnly = isReadOnly
    return control
  }

  @Test(arguments: [(125, 42, 42_000), (1_250, 425, 42_500), (12_500, 4_250, 42_500), (125_000, 42_500, 42_500)])
  func theMaximumTellsTheUnit(maximum: Int64, value: Int64, millidegrees: Int) {
    let reading = CameraTemperature(
      device: "cam", controls: [control("Brightness"), control(maximum: maximum, value: .integer(value))])
    #expect(reading == CameraTemperature(device: "cam", control: "sensor_temperature", millidegrees: millidegrees))
  }

  @Test func colourIsNoHeat() {
    let controls = [
      control("White Balance Temperature", maximum: 6_500, isReadOnly: false),
      control("Color Temperature", maximum: 6_500), control("Temperature", isReadOnly: false),
      control("Temperature", kind: .menu), control("Temperature Limit"),
    ]
    #expect(CameraTemperature(device: "cam", controls: controls) == nil)
  }

  @Test(arguments: [nil, .integer(.max), .integer(-300), .text("hot")] as [ControlValue?])
  func whatIsNoTemperatureIsAFault(value: ControlValue?) {
    let reading = CameraTemperature(device: "cam", controls: [control(value: value)])
    #expect(reading?.millidegrees == nil)
    #expect(reading?.fault != nil)
  }

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

  @Test func aHotCameraIsTheDevicesStateAndNotTheMachines() {
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

  @Test func theWorseOfMachineAndCameraCounts() {
    var model = PressureModel()
    let state = state(&model, 76, at: 0, zone: 96)
    let scoped = state.scoped(to: .device("cam"))
    #expect((scoped.level, scoped.factors) == (.shutdown, [.systemTemperature]))
    #expect(scoped.causes.map(\.source) == ["thermal_zone0", "devices/cam"])
    let demands = AdaptationLadder.standard.demands(of: state)
    #expect(demands.demand(of: "cam").level == .shutdown)
    #expect(demands.demand(of: "other").causes.map(\.source) == ["thermal_zone0"])
  }

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

  @Test func operatorsSetThresholdsOfADevice() {
    var overrides = ThresholdOverrides()
    let isRead = overrides.add("devices/cam=30/40/50/60")
    #expect(isRead)
    var model = PressureModel(overrides: overrides)
    #expect(state(&model, 61, at: 0).scoped(to: .device("cam")).level == .shutdown)
  }

  @Test func aDrillIsOnePartOfEveryScope() {
    var model = PressureModel()
    let drill = PressureDrill(level: .serious, factor: .peakPower, end: 0)
    let state = drill.applied(to: state(&model, 90, at: 0))
    #expect(!state.isSimulated && !state.scoped(to: .device("cam")).isSimulated)
    #expect(state.scoped(to: .machine).isSimulated)
    #expect(state.scoped(to: .machine).level == .serious)
  }
}

import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

@Suite struct CostReducerTests {
  private func steps(
    _ asked: SessionConfiguration, on device: Device, _ model: CostModel = CostModel()
  ) throws -> [CostReduction] {
    let steps = try CostReducer(devices: [device], model: model).reductions(of: asked)
    // What is promised is what a commit gives.
    for step in steps { #expect(step.cost == step.configuration.cost(on: device, model)) }
    #expect(steps.map(\.cost.hardware) == steps.map(\.cost.hardware).sorted(by: >))
    return steps
  }

  @Test("E6: rates go first") func ratesGoFirst() throws {
    let sensor = Device.sensor()
    let found = try steps(.priced(sensor, .nv12, 3840, 2160, rate: 60), on: sensor)
    #expect(found.map(\.field) == Array(repeating: "configuration.inputs[0].frame_rate_override", count: 2))
    #expect(
      found.map(\.description) == ["NV12 3840x2160@60 to NV12 3840x2160@50", "NV12 3840x2160@50 to NV12 3840x2160@30"])
    #expect(try #require(found.last).cost.hardware <= 1)
    #expect(found.last?.configuration.preview != nil, "outputs stay")
  }

  @Test("E6: the rate that the driver confirmed counts, not the one that it was asked for")
  func theConfirmedRateCounts() throws {
    let sensor = Device.sensor()
    let asked = SessionConfiguration.priced(sensor, .nv12, 3840, 2160, rate: 60)
    var present = try #require(ConfigurationResolver.resolve(asked, devices: [sensor]).resolved.input)
    func fields(confirmed rate: UInt32) throws -> [String] {
      present.confirmedRate = Rational(rate, 1)
      return try CostReducer(devices: [sensor], model: CostModel(), present: present).reductions(of: asked)
        .map(\.description)
    }
    #expect(try fields(confirmed: 20).isEmpty)
    #expect(try fields(confirmed: 40) == ["NV12 3840x2160@40 to NV12 3840x2160@30"])
  }

  @Test func nothingToDo() throws {
    let sensor = Device.sensor()
    #expect(try steps(.priced(sensor, .nv12, 3840, 2160, rate: 30), on: sensor).isEmpty)
    #expect(try steps(SessionConfiguration(), on: sensor).isEmpty)
  }

  @Test("E6: then sizes, binned ones before smaller ones") func thenSizes() throws {
    var sensor = Device.sensor()
    sensor.limits.sensorReadout = 20_000_000
    let found = try steps(.priced(sensor, .nv12, 1920, 1080, rate: 60), on: sensor)
    #expect(
      found.map(\.description) == [
        "NV12 1920x1080@60 to NV12 1920x1080@30", "NV12 1920x1080@30 to NV12 1920x1080@15",
        "NV12 1920x1080@15 to NV12 960x540@30",
      ], "960x540 has no 15, so the nearest")
    #expect(found.last?.field == "configuration.inputs[0].format")
    sensor.formats.removeAll { $0.isBinned == true }
    #expect(
      try steps(.priced(sensor, .nv12, 1920, 1080, rate: 15), on: sensor).map(\.description)
        == ["NV12 1920x1080@15 to NV12 640x360@30"])
  }

  @Test("E6: the camera's compression where USB is short") func compressionWhereUSBIsShort() throws {
    let webcam = Device.webcam()
    #expect(
      try steps(.priced(webcam, .yuyv, 1280, 720), on: webcam).map(\.description)
        == ["YUYV 1280x720@30 to MJPG 1280x720@30"])
    var raw = webcam
    raw.formats.removeAll { $0.pixelFormat == .mjpeg }
    #expect(
      try steps(.priced(raw, .yuyv, 1280, 720), on: raw).map(\.description) == ["YUYV 1280x720@30 to YUYV 640x480@30"])
  }

  @Test func whateverElseFits() throws {
    var sensor = Device.sensor()
    sensor.formats = [
      .fake(.nv12, Size(width: 1920, height: 1080), rates: [30, 10, 5]),
      .fake(.yuyv, Size(width: 640, height: 360), rates: [30]),
    ]
    sensor.limits.sensorReadout = 25_000_000
    let found = try steps(.priced(sensor, .nv12, 1920, 1080), on: sensor)
    #expect(found.map(\.description) == ["NV12 1920x1080@30 to NV12 1920x1080@10"])
    #expect(found.last?.configuration.inputs[0].frameRate == Rational(10, 1))
  }

  @Test func aPresetBecomesAFormat() throws {
    var sensor = Device.sensor()
    sensor.limits.sensorReadout = 16_000_000
    var asked = SessionConfiguration()
    asked.inputs = [.init(deviceID: sensor.id)]
    asked.preset = .high
    asked.preview = .init()
    let found = try steps(asked, on: sensor)
    #expect(found.first?.configuration.preset == .high)
    #expect(found.last?.configuration.preset == nil)
    #expect(found.last?.configuration.inputs[0].format?.size == Size(width: 960, height: 540))
  }

  @Test func noLowerCost() {
    var sensor = Device.sensor()
    sensor.limits.sensorReadout = 1000
    let error = #expect(throws: CaptureError.self) { try steps(.priced(sensor, .nv12, 1920, 1080), on: sensor) }
    #expect(error?.reason == .noLowerCost)
  }

  @Test func rangesOfferUsualValues() {
    let format = DeviceFormat(
      pixelFormat: .yuyv, description: "",
      frameSize: .range(
        SizeRange(
          minimum: Size(width: 32, height: 32), maximum: Size(width: 2592, height: 1944),
          step: Size(width: 2, height: 2))),
      frameDurations: .range(shortest: Rational(1, 90), longest: Rational(1, 1), step: nil))
    #expect(DeviceMode.rates(of: format).map(\.value) == [90, 60, 50, 30, 25, 24, 15, 10, 5])
    #expect(DeviceMode.sizes(of: format).first == Size(width: 2592, height: 1944))
    #expect(DeviceMode.sizes(of: format).dropFirst().first == Size(width: 1920, height: 1080))
  }

  @Test(arguments: [(Rational(30, 1), "30"), (Rational(30000, 1001), "29.97"), (Rational(25, 2), "12.5")])
  func shortRates(rate: Rational, text: String) { #expect(rate.shortText == text) }
}

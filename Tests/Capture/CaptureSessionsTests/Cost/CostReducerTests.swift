import CaptureCore
import CaptureTestKit
import Testing

@testable import CaptureSessions

/// Tests which changes the daemon suggests to bring a configuration's cost down to 1, and in which order. The first
/// suggestions are those that people miss least.
@Suite struct CostReducerTests {
  /// The suggested steps. Checks that each step costs what a commit of its configuration would cost, and that the costs
  /// fall.
  private func steps(
    _ asked: SessionConfiguration, on device: Device, _ model: CostModel = CostModel()
  ) throws -> [CostReduction] {
    let steps = try CostReducer(devices: [device], model: model).reductions(of: asked)
    // Each step must promise the cost that a commit of its configuration has.
    for step in steps { #expect(step.cost == step.configuration.cost(on: device, model)) }
    #expect(steps.map(\.cost.hardware) == steps.map(\.cost.hardware).sorted(by: >))
    return steps
  }

  /// A configuration at 60 frames per second gets lower rates down to 30 first, and keeps its outputs.
  @Test("E6: the first suggestions are lower rates") func ratesGoFirst() throws {
    let sensor = Device.sensor()
    let found = try steps(.priced(sensor, .nv12, 3840, 2160, rate: 60), on: sensor)
    #expect(found.map(\.field) == Array(repeating: "configuration.inputs[0].frame_rate_override", count: 2))
    #expect(
      found.map(\.description) == ["NV12 3840x2160@60 to NV12 3840x2160@50", "NV12 3840x2160@50 to NV12 3840x2160@30"])
    #expect(try #require(found.last).cost.hardware <= 1)
    #expect(found.last?.configuration.preview != nil, "the reducer removes no output")
  }

  /// When the driver confirmed a lower rate than the requested one, the cost and the suggestions are those of the
  /// confirmed rate.
  @Test("E6: suggestions begin at the rate that the driver confirmed")
  func suggestionsBeginAtTheConfirmedRate() throws {
    let sensor = Device.sensor()
    let asked = SessionConfiguration.priced(sensor, .nv12, 3840, 2160, rate: 60)
    var present = try #require(ConfigurationResolver.resolve(asked, devices: [sensor]).resolved.input)
    func fields(confirmed rate: UInt32) throws -> [String] {
      present.confirmedRate = Rational(rate, 1)
      return try CostReducer(devices: [sensor], model: CostModel(), present: [present]).reductions(of: asked)
        .map(\.description)
    }
    #expect(try fields(confirmed: 20).isEmpty)
    #expect(try fields(confirmed: 40) == ["NV12 3840x2160@40 to NV12 3840x2160@30"])
  }

  /// A configuration that costs at most 1, or has no camera, gets no suggestions.
  @Test func anAffordableConfigurationGetsNoSuggestions() throws {
    let sensor = Device.sensor()
    #expect(try steps(.priced(sensor, .nv12, 3840, 2160, rate: 30), on: sensor).isEmpty)
    #expect(try steps(SessionConfiguration(), on: sensor).isEmpty)
  }

  /// When 15 frames per second still cost too much, the next suggestion is the same picture from combined pixels, and
  /// then a smaller picture.
  @Test("E6: sizes follow rates, and binned formats come before smaller ones") func sizesFollowRates() throws {
    var sensor = Device.sensor()
    sensor.limits.sensorReadout = 20_000_000
    let found = try steps(.priced(sensor, .nv12, 1920, 1080, rate: 60), on: sensor)
    #expect(
      found.map(\.description) == [
        "NV12 1920x1080@60 to NV12 1920x1080@30", "NV12 1920x1080@30 to NV12 1920x1080@15",
        "NV12 1920x1080@15 to NV12 960x540@30",
      ], "960x540 does not offer 15 frames per second, so the nearest offered rate is suggested")
    #expect(found.last?.field == "configuration.inputs[0].format")
    sensor.formats.removeAll { $0.isBinned == true }
    #expect(
      try steps(.priced(sensor, .nv12, 1920, 1080, rate: 15), on: sensor).map(\.description)
        == ["NV12 1920x1080@15 to NV12 640x360@30"])
  }

  /// When raw pictures exceed the bus, the suggestion is the same picture as JPEG of the camera. A camera without JPEG
  /// gets a smaller picture.
  @Test("E6: where USB bandwidth is short, the camera's compression is suggested first")
  func compressionIsSuggestedWhereUSBIsShort() throws {
    let webcam = Device.webcam()
    #expect(
      try steps(.priced(webcam, .yuyv, 1280, 720), on: webcam).map(\.description)
        == ["YUYV 1280x720@30 to MJPG 1280x720@30"])
    var raw = webcam
    raw.formats.removeAll { $0.pixelFormat == .mjpeg }
    #expect(
      try steps(.priced(raw, .yuyv, 1280, 720), on: raw).map(\.description) == ["YUYV 1280x720@30 to YUYV 640x480@30"])
  }

  /// When none of the usual steps applies, the suggestion is the mode with the most pixels per second that costs at
  /// most 1.
  @Test func withoutAnOrderedStepAnyFittingModeIsSuggested() throws {
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

  /// While suggestions only lower the rate, the preset stays. A suggestion of another size names a format instead of
  /// the preset.
  @Test func aSmallerPictureReplacesThePresetByAFormat() throws {
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

  /// When every mode of the camera costs more than 1, asking for suggestions throws `noLowerCost`.
  @Test func aConfigurationWithoutALowerCostIsRefused() {
    var sensor = Device.sensor()
    sensor.limits.sensorReadout = 1000
    let error = #expect(throws: CaptureError.self) { try steps(.priced(sensor, .nv12, 1920, 1080), on: sensor) }
    #expect(error?.reason == .noLowerCost)
  }

  /// For a camera whose rates and sizes are ranges, the reducer considers the usual rates and sizes within them,
  /// besides the largest.
  @Test func rangesAreSearchedAtUsualValues() {
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

  /// The description of a step writes a rate with as few decimals as needed, and at most two.
  @Test(arguments: [(Rational(30, 1), "30"), (Rational(30000, 1001), "29.97"), (Rational(25, 2), "12.5")])
  func ratesAreWrittenWithAtMostTwoDecimals(rate: Rational, text: String) { #expect(rate.shortText == text) }
}

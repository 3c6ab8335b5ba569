import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// The controls of a camera, as clients read and set them.
@Suite(.timeLimit(.minutes(1))) struct ControlCallsTests {
  private static let camera = "devices/synthetic-1"

  private func device(_ daemon: InProcessDaemon, _ name: String = camera) async throws -> Firstlight_V1_Device {
    let response: Firstlight_V1_GetDeviceResponse = try await daemon.call(
      Firstlight_V1_DeviceService.getDevice, Firstlight_V1_GetDeviceRequest.with { $0.name = name })
    return response.device
  }

  private func value(_ daemon: InProcessDaemon, _ control: String) async throws -> Int64? {
    try await device(daemon).controls.first { $0.id == control }?.value.integer
  }

  private static func integer(_ control: String, _ value: Int64) -> Firstlight_V1_ControlSetting {
    .with { ($0.control, $0.value.integer) = (control, value) }
  }

  private static func request(
    _ settings: [Firstlight_V1_ControlSetting], session: String = ""
  ) -> Firstlight_V1_SetControlsRequest {
    .with { ($0.device, $0.session, $0.controlSettings) = (camera, session, settings) }
  }

  private func set(
    _ daemon: InProcessDaemon, _ settings: [Firstlight_V1_ControlSetting], session: String = ""
  ) async throws -> [Firstlight_V1_ControlResult] {
    let response: Firstlight_V1_SetControlsResponse = try await daemon.call(
      Firstlight_V1_DeviceService.setControls, Self.request(settings, session: session))
    return response.results
  }

  private func refusal(
    _ daemon: InProcessDaemon, _ request: Firstlight_V1_SetControlsRequest
  ) async throws -> RPCError {
    try await daemon.refusal(of: Firstlight_V1_DeviceService.setControls, request)
  }

  @Test func aCameraTellsItsControlsToGetAlone() async throws {
    try await InProcessDaemon.run { daemon in
      let controls = try await device(daemon).controls
      let brightness = try #require(controls.first { $0.id == "brightness" })
      #expect(brightness.displayName == "Brightness")
      #expect(brightness.v4L2ID == 0x0098_0900)
      #expect(brightness.controlType == .integer)
      #expect(brightness.minimum < brightness.defaultValue && brightness.defaultValue < brightness.maximum)
      #expect(brightness.value.integer == brightness.defaultValue)
      let exposure = try #require(controls.first { $0.id == "auto_exposure" })
      #expect(exposure.menuItems.map(\.label) == ["Auto Mode", "Manual Mode"])
      #expect(controls.first { $0.id == "exposure_time_absolute" }?.inactive == true)
      #expect(controls.first { $0.id == "reset_controls" }?.hasValue == false, "a button has no value")
      let list: Firstlight_V1_ListDevicesResponse = try await daemon.call(
        Firstlight_V1_DeviceService.listDevices, Firstlight_V1_ListDevicesRequest())
      #expect(list.devices.count == 2 && list.devices.allSatisfy(\.controls.isEmpty))
      let events: ResponseStream<Firstlight_V1_WatchDevicesResponse> = try daemon.stream(
        Firstlight_V1_DeviceService.watchDevices, Firstlight_V1_WatchDevicesRequest())
      #expect(try await events.next()?.event.device.controls == [])
    }
  }

  @Test func aControlIsSetAndReadBack() async throws {
    try await InProcessDaemon.run { daemon in
      let before = try await device(daemon)
      let results = try await set(daemon, [Self.integer("brightness", 25), Self.integer("contrast", 110)])
      #expect(results.map(\.control) == ["brightness", "contrast"])
      #expect(results.map(\.value.integer) == [25, 110])
      let other = try await device(daemon, "devices/synthetic-0").controls.first { $0.id == "brightness" }
      #expect(other?.value.integer == 0, "the other camera is another camera")
      let reset = try await set(daemon, [.with { $0.control = "brightness" }])
      #expect(reset.map(\.value.integer) == [0], "no value is the default")
      var after = try await device(daemon)
      let index = try #require(after.controls.firstIndex { $0.id == "contrast" })
      #expect(after.controls[index].value.integer == 110)
      after.controls[index].value.integer = 100
      #expect(after == before, "the control is the only thing that changed")
    }
  }

  @Test func eachSettingIsItsOwn() async throws {
    try await InProcessDaemon.run { daemon in
      let results = try await set(
        daemon,
        [
          Self.integer("brightness", 1000), Self.integer("focus", 1),
          .with { ($0.control, $0.value.string) = ("contrast", "much") }, Self.integer("gain", 200),
          Self.integer("auto_exposure", 1), Self.integer("exposure_time_absolute", 50),
          Self.integer("test_pattern", 7), Self.integer("reset_controls", 1),
        ])
      #expect(results.map(\.outcome) == [.refused, .refused, .wrongType, .refused, .set, .set, .refused, .set])
      let refused: [String?] = ["UNSUPPORTED_VALUE", "CONTROL_NOT_FOUND", "CONTROL_WRONG_TYPE", "CONTROL_INACTIVE"]
      #expect(results.map(\.error.reason) == refused + [nil, nil, "UNSUPPORTED_VALUE", nil])
      #expect(results[4...5].map(\.value.integer) == [1, 50], "the menu before it made it active")
      #expect(results.allSatisfy { !$0.hasError || !$0.hasValue })
      #expect(results.allSatisfy { !$0.error.hasRetryInfo })
      #expect(try await value(daemon, "auto_exposure") == 0, "the button has done it")
    }
  }

  @Test func sixtyFourSettingsAreTakenAndNoMore() async throws {
    try await InProcessDaemon.run { daemon in
      let settings = Array(repeating: Self.integer("brightness", 1), count: 65)
      #expect(try await set(daemon, Array(settings.dropLast())).count == 64)
      let error = try await refusal(daemon, Self.request(settings))
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == ["control_settings"])
    }
  }

  @Test func aCameraThatRunsBelongsToItsSession() async throws {
    try await InProcessDaemon.run { daemon in
      let brightness = [Self.integer("brightness", 1)]
      let idle = try await daemon.createSession(.small(1)).name
      let notRunning = try await refusal(daemon, Self.request(brightness, session: idle))
      #expect(notRunning.summary == "FAILED_PRECONDITION SESSION_NOT_RUNNING")
      let owner = try await daemon.createSession(.small(1), start: true).name
      #expect(try await device(daemon).session == owner)
      #expect(try await device(daemon, "devices/synthetic-0").session == "")
      for other in ["", idle] {
        let error = try await refusal(daemon, Self.request(brightness, session: other))
        #expect(error.summary == "FAILED_PRECONDITION DEVICE_CLAIMED")
        #expect(owner == "sessions/\(error.metadata["session"] ?? "")")
      }
      #expect(try await value(daemon, "brightness") == 0)
      #expect(try await set(daemon, brightness, session: owner).map(\.value.integer) == [1])
      try await daemon.stop(owner)
      #expect(try await device(daemon).session == "")
      #expect(try await set(daemon, brightness).map(\.hasError) == [false])
    }
  }

  @Test func whatIsNotThereIsNotFound() async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await refusal(daemon, .with { $0.device = "devices/nowhere" })
      #expect(error.summary == "NOT_FOUND DEVICE_NOT_FOUND")
    }
  }

  @Test func anActiveFrameRateNeedsAStream() async throws {
    try await InProcessDaemon.run { daemon in
      var request = Self.request([Self.integer("brightness", 5)])
      request.activeFrameRate = .with { ($0.numerator, $0.denominator) = (10, 1) }
      #expect(try await refusal(daemon, request).summary == "FAILED_PRECONDITION SESSION_NOT_RUNNING")
      #expect(try await value(daemon, "brightness") == 0, "nothing was set")
      request.session = try await daemon.createSession(.small(1), start: true).name
      request.activeFrameRate = .with { $0.numerator = 1 }
      let error = try await refusal(daemon, request)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == ["active_frame_rate"])
    }
  }
}

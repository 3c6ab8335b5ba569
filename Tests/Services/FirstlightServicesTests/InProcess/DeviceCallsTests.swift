import FirstlightAPI
import FirstlightTestKit
import RPCCore
import SwiftProtobuf
import Testing

/// The list of devices: filters, queries of formats, and names.
@Suite(.timeLimit(.minutes(1))) struct DeviceCallsTests {
  private typealias Service = Firstlight_V1_DeviceService
  private typealias Query = Firstlight_V1_FormatQuery

  private func list(
    _ daemon: InProcessDaemon, _ request: Firstlight_V1_ListDevicesRequest = .init()
  ) async throws -> Firstlight_V1_ListDevicesResponse {
    try await daemon.call(Service.listDevices, request)
  }

  @Test(arguments: [
    (Firstlight_V1_ListDevicesRequest.with { $0.deviceTypes = [.UNRECOGNIZED(99)] }, "device_types"),
    (.with { $0.deviceTypes = [.unspecified] }, "device_types"),
    (.with { $0.mediaType = .UNRECOGNIZED(99) }, "media_type"), (.with { $0.position = .UNRECOGNIZED(99) }, "position"),
    (.with { $0.formatQuery.size.width = 640 }, "format_query.size"),
    (.with { $0.formatQuery.frameRate.numerator = 30 }, "format_query.frame_rate"),
    (.with { $0.formatQuery.pixelFormat = "YUYV2" }, "format_query.pixel_format"),
  ]) func aBadFilterIsRefusedByName(_ request: Firstlight_V1_ListDevicesRequest, _ field: String) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusal(of: Service.listDevices, request)
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == [field])
    }
  }

  @Test(arguments: ["", "nowhere", "devices/", "devices/a/b", "sessions/a", "/dev/video0"])
  func aMalformedNameIsRefused(_ name: String) async throws {
    try await InProcessDaemon.run { daemon in
      let error = try await daemon.refusal(
        of: Service.getDevice, Firstlight_V1_GetDeviceRequest.with { $0.name = name })
      #expect(error.summary == "INVALID_ARGUMENT INVALID_ARGUMENT")
      #expect(error.fields == ["name"])
    }
  }

  @Test func getGivesWhatTheListGaveAndWatchingBeginsWithIt() async throws {
    try await InProcessDaemon.run { daemon in
      let devices = try await list(daemon).devices
      for device in devices {
        var got: Firstlight_V1_GetDeviceResponse = try await daemon.call(
          Service.getDevice, Firstlight_V1_GetDeviceRequest.with { $0.name = device.name })
        got.device.controls = []  // Only GetDevice reads the controls.
        #expect(got.device == device)
      }
      let events: ResponseStream<Firstlight_V1_WatchDevicesResponse> = try daemon.stream(
        Service.watchDevices, Firstlight_V1_WatchDevicesRequest())
      let told = try await events.take(devices.count).map(\.event)
      #expect(told.map(\.device.name) == devices.map(\.name))
      #expect(told.allSatisfy { $0.kind == .connected })
    }
  }

  /// The format that matches best: of the wanted size, with the rate that is nearest above the wanted one.
  @Test(arguments: [
    (Query(), "NV12 3840x2160 30"),
    (.with { ($0.size.width, $0.size.height) = (1280, 720) }, "NV12 1280x720 30"),
    (query(1280, 720, 60), "NV12 1280x720 60"), (query(1280, 720, 20), "NV12 1280x720 24"),
    (
      .with {
        $0 = query(1280, 720, 30)
        $0.pixelFormat = "YUYV"
      }, "YUYV 1280x720 30"
    ),
    (query(960, 540, 5), "NV12 960x540 5"),
    (
      .with {
        ($0.frameRate.numerator, $0.frameRate.denominator) = (40, 1)
        $0.pixelFormat = "YUYV"
      }, "YUYV 3840x2160 50"
    ),
  ]) func aQueryNamesTheBestFormat(_ query: Firstlight_V1_FormatQuery, _ expected: String) async throws {
    try await InProcessDaemon.run { daemon in
      // A page has the matches of its own devices.
      var request = Firstlight_V1_ListDevicesRequest.with { ($0.formatQuery, $0.pageSize) = (query, 1) }
      for camera in ["devices/synthetic-0", "devices/synthetic-1"] {
        let page = try await list(daemon, request)
        #expect(page.devices.map(\.name) == [camera])
        #expect(page.formatMatches.map(\.device) == [camera])
        let match = try #require(page.formatMatches.first)
        #expect(
          "\(match.pixelFormat) \(match.size.width)x\(match.size.height) \(match.frameRate.numerator)" == expected)
        #expect(match.frameRate.denominator == 1)
        request.pageToken = page.nextPageToken
      }
    }
  }

  private static func query(_ width: UInt32, _ height: UInt32, _ rate: UInt32) -> Firstlight_V1_FormatQuery {
    .with {
      ($0.size.width, $0.size.height) = (width, height)
      ($0.frameRate.numerator, $0.frameRate.denominator) = (rate, 1)
    }
  }

  @Test(arguments: [
    Query.with { ($0.size.width, $0.size.height) = (641, 360) },
    .with { ($0.frameRate.numerator, $0.frameRate.denominator) = (61, 1) }, .with { $0.pixelFormat = "H264" },
  ]) func camerasWithoutAMatchAreLeftOut(_ query: Firstlight_V1_FormatQuery) async throws {
    try await InProcessDaemon.run { daemon in
      let page = try await list(daemon, .with { $0.formatQuery = query })
      #expect(page.devices.isEmpty && page.formatMatches.isEmpty)
    }
  }
}

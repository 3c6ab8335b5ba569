internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

/// The handlers of DeviceService. The handler of each method is in a file of its own in this folder.
struct DeviceHandlers: DeviceServiceHandler {
  let devices: DeviceRegistry
  let sessions: SessionRegistry
}

extension DeviceHandlers {
  func getDevice(
    _ request: Firstlight_V1_GetDeviceRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetDeviceResponse {
    let id = try ResourceName.id(in: request.name, "devices", field: "name")
    if let microphone = await devices.microphones.microphone(id) {
      return .with { $0.device = microphone.proto(session: devices.microphones.holder(of: id)) }
    }
    let device = try await devices.device(id)
    // The controls may be unreadable, for example while another program holds the camera. The camera is there all the
    // same, so the answer has the device without controls.
    let controls = (try? await devices.controls(of: id)) ?? []
    let holder = devices.holder(of: id)
    return .with { $0.device = device.proto(session: holder, controls: controls) }
  }
}

extension DeviceHandlers {
  func listDevices(
    _ request: Firstlight_V1_ListDevicesRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_ListDevicesResponse {
    var types: [DeviceType] = []
    for type in request.deviceTypes { types.append(try DeviceType(type, field: "device_types")) }
    if case .UNRECOGNIZED(let value) = request.mediaType { throw Validation.unknownEnum(value, field: "media_type") }
    if case .UNRECOGNIZED(let value) = request.position { throw Validation.unknownEnum(value, field: "position") }

    var found = await devices.presentDevices()
    if !types.isEmpty { found = found.filter { types.contains($0.type) } }
    if request.mediaType != .unspecified { found = found.filter { $0.mediaType == request.mediaType } }
    if request.position != .unspecified { found = found.filter { $0.camera?.position.proto == request.position } }

    let query = request.hasFormatQuery ? try FormatQuery(request.formatQuery) : nil
    if let query { found = found.filter { $0.camera.flatMap(query.match) != nil } }

    // The list is ordered by device type, in the order in which the request names the types, and then by id. When the
    // request names no types, the list is ordered by id alone.
    let (page, next) = try Paging.page(
      of: found, by: { device in Paging.key(UInt64(types.firstIndex(of: device.type) ?? 0)) + device.id },
      size: request.pageSize, token: request.pageToken, query: Self.filters(of: request))
    var listed: [Firstlight_V1_Device] = []
    for device in page { listed.append(device.proto(session: devices.holder(of: device))) }
    return .with {
      $0.devices = listed
      $0.nextPageToken = next
      $0.formatMatches = page.compactMap(\.camera).compactMap { query?.match(on: $0)?.proto(on: $0) }
    }
  }

  /// Returns the query for page tokens: the name of the method and the request without the fields for paging.
  private static func filters(of request: Firstlight_V1_ListDevicesRequest) throws -> String {
    var filters = request
    filters.pageSize = 0
    filters.pageToken = ""
    return "ListDevices " + (try filters.serializedBytes() as [UInt8]).map(String.init).joined(separator: ",")
  }
}

extension DeviceHandlers {
  /// The largest number of settings in one call.
  static let maximumSettings = 64

  func setControls(
    _ request: Firstlight_V1_SetControlsRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SetControlsResponse {
    guard request.controlSettings.count <= Self.maximumSettings else {
      throw CaptureError(
        .invalidArgument,
        "One call takes at most \(Self.maximumSettings) settings; this one has \(request.controlSettings.count).",
        metadata: ["settings": "\(request.controlSettings.count)", "limit": "\(Self.maximumSettings)"],
        field: "control_settings")
    }
    let rate = request.hasActiveFrameRate ? Rational(request.activeFrameRate) : nil
    if let rate, rate.denominator == 0 {
      throw CaptureError(
        .invalidArgument, "The denominator of a frame rate must not be 0.", metadata: ["active_frame_rate": "\(rate)"],
        field: "active_frame_rate")
    }
    let id = try ResourceName.id(in: request.device, "devices", field: "device")
    if await devices.microphones.microphone(id) != nil {
      throw CaptureError(
        .notSupportedInConfiguration,
        "\(id) is a microphone, and microphones have no controls; set the level with the mixer of the machine.",
        metadata: ["device": id], field: "device")
    }
    let session =
      request.session.isEmpty ? nil : try await sessions.session(named: request.session, field: "session")
    // The registry knows every device that a session holds. For any other device, this call checks that it exists.
    if devices.holder(of: id) == nil { _ = try await devices.device(id) }
    try devices.checkClaim(on: id, by: session?.id)
    if let rate {
      guard let session else {
        throw CaptureError(
          .sessionNotRunning, "Device \(id) does not stream; start a session with it first.",
          metadata: ["device": id], field: "active_frame_rate")
      }
      try await session.setActiveFrameRate(rate, of: id)
    }
    let settings = request.controlSettings.map(ControlSetting.init)
    let results = try await devices.set(settings, on: id)
    return .with { $0.results = zip(settings, results).map { $1.proto(asked: $0.value) } }
  }
}

extension DeviceHandlers {
  func watchDevices(
    _ request: Firstlight_V1_WatchDevicesRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchDevicesResponse>
  ) async throws {
    let events = devices.events
    func send(_ number: UInt64?, _ kind: DeviceChange.Kind, _ device: PresentDevice) async throws {
      try await writer.write(
        .with {
          $0.event = .with {
            $0.eventID = number.map(events.eventID) ?? ""
            $0.kind = kind.proto
            $0.device = device.proto()
          }
        })
    }
    var position: UInt64
    if !request.afterEventID.isEmpty {
      position = try events.number(of: request.afterEventID)
    } else {
      // The position is read before the list. A device that is connected between the two comes to the client twice, but
      // no device is missed.
      position = events.lastID
      let present = await devices.presentDevices()
      // Only the last device of the list has an event ID. A client that received only some of the devices therefore
      // cannot resume after them, and so cannot miss the others.
      for device in present.dropLast() { try await send(nil, .connected, device) }
      if let last = present.last { try await send(position, .connected, last) }
    }
    while true {
      let entry = try await events.entry(after: position)
      position = entry.id
      let (kind, device) = entry.payload.parts
      try await send(entry.id, kind, device)
    }
  }
}

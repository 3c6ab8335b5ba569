internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

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

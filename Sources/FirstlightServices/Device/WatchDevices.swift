internal import CaptureCore
internal import CaptureSession
internal import FirstlightAPI
internal import GRPCTransport
internal import SwiftProtobuf

extension DeviceHandlers {
  func watchDevices(
    _ request: Firstlight_V1_WatchDevicesRequest, _ context: CallContext,
    _ writer: ResponseWriter<Firstlight_V1_WatchDevicesResponse>
  ) async throws {
    func send(_ id: UInt64, _ kind: DeviceChange.Kind, _ device: Device) async throws {
      try await writer.write(
        .with {
          $0.event = .with {
            $0.eventID = id
            $0.kind = kind.proto
            $0.device = device.proto()
          }
        })
    }
    var position = request.afterEventID
    if !request.hasAfterEventID {
      // Read before the list: a camera that comes between the two is told twice rather than never.
      position = devices.events.lastID
      for device in await devices.devices() { try await send(position, .connected, device) }
    }
    while true {
      let entry = try await devices.events.entry(after: position)
      position = entry.id
      try await send(entry.id, entry.payload.kind, entry.payload.device)
    }
  }
}

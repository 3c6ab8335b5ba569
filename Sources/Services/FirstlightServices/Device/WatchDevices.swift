internal import CaptureCore
internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

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

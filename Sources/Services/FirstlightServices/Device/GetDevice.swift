internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

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

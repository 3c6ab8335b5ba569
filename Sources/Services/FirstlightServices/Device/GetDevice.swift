internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension DeviceHandlers {
  func getDevice(
    _ request: Firstlight_V1_GetDeviceRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetDeviceResponse {
    let id = try ResourceName.id(in: request.name, "devices", field: "name")
    let device = try await devices.device(id)
    // A camera that another program holds is there all the same; its controls cannot be asked for.
    let controls = (try? await devices.controls(of: id)) ?? []
    let holder = devices.holder(of: id)
    return .with { $0.device = device.proto(session: holder, controls: controls) }
  }
}

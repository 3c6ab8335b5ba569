internal import CaptureSession
internal import FirstlightAPI
internal import GRPCTransport
internal import SwiftProtobuf

extension DeviceHandlers {
  func getDevice(
    _ request: Firstlight_V1_GetDeviceRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetDeviceResponse {
    let device = try await devices.device(try ResourceName.id(in: request.name, "devices", field: "name"))
    return .with { $0.device = device.proto }
  }
}

internal import FirstlightAPI
internal import PhotoCapture
internal import RPCCore
internal import SwiftProtobuf

extension PhotoHandlers {
  func getCapture(
    _ request: Firstlight_V1_GetCaptureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetCaptureResponse {
    let capture = try captures.capture(try ResourceName.id(in: request.name, "captures", field: "name"))
    return .with { $0.capture = capture.proto }
  }
}

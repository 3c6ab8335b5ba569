internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import SystemPressure

extension PressureHandlers {
  func getSystemPressure(
    _ request: Firstlight_V1_GetSystemPressureRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetSystemPressureResponse {
    let state = monitor.state(of: try await scope(request.device))
    return .with { $0.state = state.proto }
  }
}

internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf
internal import SystemPressure

extension PressureHandlers {
  func getAdaptationLadder(
    _ request: Firstlight_V1_GetAdaptationLadderRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_GetAdaptationLadderResponse {
    .with { $0.ladder = .with { $0.steps = ladder.steps.map(\.proto) } }
  }
}

internal import CaptureSessions
internal import FirstlightAPI
internal import RPCCore
internal import SwiftProtobuf

extension SessionHandlers {
  func suggestLowerCost(
    _ request: Firstlight_V1_SuggestLowerCostRequest, _ context: CallContext
  ) async throws -> Firstlight_V1_SuggestLowerCostResponse {
    let session = try await sessions.session(named: request.name, field: "name")
    let wanted = request.hasConfiguration ? try SessionConfiguration(request.configuration) : nil
    let reductions = try await session.suggestLowerCost(of: wanted)
    return .with { $0.reductions = reductions.map(\.proto) }
  }
}

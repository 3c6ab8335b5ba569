internal import CaptureCore
internal import FirstlightAPI
internal import RPCCore

/// The handler of FaultInjectionService. The daemon serves this service only when an operator asked for drills.
struct FaultInjectionHandlers: FaultInjectionServiceHandler {
  /// Makes a synthetic device have a fault. Throws `deviceNotFound` when no synthetic device has the id.
  let inject: @Sendable (InjectedFault, _ deviceID: String) async throws -> Void

  func injectFault(
    _ request: Firstlight_Drill_V1_InjectFaultRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_InjectFaultResponse {
    let deviceID = try ResourceName.id(in: request.device, "devices", field: "device")
    try await inject(try InjectedFault(request), deviceID)
    return Firstlight_Drill_V1_InjectFaultResponse()
  }
}

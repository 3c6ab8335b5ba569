internal import CaptureCore
internal import FirstlightAPI
internal import RPCCore

/// The handler of FaultInjectionService. The daemon serves this service only when an operator asked for drills.
struct FaultInjectionHandlers: Sendable {
  private let inject: @Sendable (InjectedFault, _ deviceID: String) async throws -> Void
  private let changes: ChangeLog

  /// Makes the handler.
  ///
  /// - Parameters:
  ///   - changes: takes the calls.
  ///   - inject: makes a synthetic device have a fault. Throws `deviceNotFound` when no synthetic device has the id.
  init(changes: ChangeLog, inject: @escaping @Sendable (InjectedFault, _ deviceID: String) async throws -> Void) {
    self.changes = changes
    self.inject = inject
  }

  /// Adds the service's only method to `router`.
  func register(on router: inout RPCRouter) {
    router.unary(Firstlight_Drill_V1_FaultInjectionService.injectFault, loggedBy: changes, injectFault)
  }

  private func injectFault(
    _ request: Firstlight_Drill_V1_InjectFaultRequest, _ context: CallContext
  ) async throws -> Firstlight_Drill_V1_InjectFaultResponse {
    let deviceID = try ResourceName.id(in: request.device, "devices", field: "device")
    try await inject(try InjectedFault(request), deviceID)
    return Firstlight_Drill_V1_InjectFaultResponse()
  }
}

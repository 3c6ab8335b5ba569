/// The services that cause faults and pressure on purpose. The daemon serves them only when an operator asked for
/// drills.
public struct Drills: Sendable {
  /// Makes a synthetic device have a fault. Throws `deviceNotFound` when no synthetic device has the id. Nil when the
  /// daemon has no synthetic devices; the daemon then does not serve FaultInjectionService.
  public var injectFault: (@Sendable (InjectedFault, _ deviceID: String) async throws -> Void)?

  /// Makes the drills. PressureDrillService and TaskPoolDrillService are always among them.
  ///
  /// - Parameter injectFault: makes a synthetic device have a fault; nil leaves FaultInjectionService out.
  public init(injectFault: (@Sendable (InjectedFault, _ deviceID: String) async throws -> Void)?) {
    self.injectFault = injectFault
  }
}

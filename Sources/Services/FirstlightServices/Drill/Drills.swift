/// The services that cause trouble on purpose, for an operator who asked for them.
public struct Drills: Sendable {
  /// Carries a fault of a synthetic camera out. It throws `deviceNotFound` or `notSupportedInConfiguration`. Nil when
  /// there are no synthetic cameras; FaultInjectionService is then missing.
  public var injectFault: (@Sendable (InjectedFault, _ deviceID: String) async throws -> Void)?

  public init(injectFault: (@Sendable (InjectedFault, _ deviceID: String) async throws -> Void)?) {
    self.injectFault = injectFault
  }
}

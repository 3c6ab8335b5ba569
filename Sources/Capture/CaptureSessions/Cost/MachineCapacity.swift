/// How much work this machine can do.
public struct MachineCapacity: Hashable, Sendable {
  /// How much one core does in a second at its highest clock.
  public var core: CoreThroughput
  /// The number of cores that this process may use, at least 1.
  public var cores: Int
  /// The share of its highest clock that the machine sustains indefinitely, 0.01 to 1. Firmware and thermal daemons cap
  /// the clock.
  public var sustainedShare: Double

  /// Takes the facts of a machine, and brings values that are out of range into it.
  ///
  /// - Parameters:
  ///   - core: how much one core does in a second.
  ///   - cores: the number of cores that this process may use.
  ///   - sustainedShare: the share of its highest clock that the machine sustains indefinitely.
  public init(core: CoreThroughput, cores: Int, sustainedShare: Double) {
    self.core = core
    self.cores = max(1, cores)
    self.sustainedShare = min(max(sustainedShare, 0.01), 1)
  }
}

/// What this machine can do.
public struct MachineCapacity: Hashable, Sendable {
  public var core: CoreThroughput
  /// Cores this process may use.
  public var cores: Int
  /// The share of its highest clock that the machine keeps up for ever, 0…1: firmware and thermal daemons cap it.
  public var sustainedShare: Double

  public init(core: CoreThroughput, cores: Int, sustainedShare: Double) {
    self.core = core
    self.cores = max(1, cores)
    self.sustainedShare = min(max(sustainedShare, 0.01), 1)
  }
}

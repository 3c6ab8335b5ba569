/// What the machine's processors have done since it was started, all of them together, in the kernel's ticks.
public struct ProcessorTimes: Hashable, Sendable {
  /// With nothing to do, or with nothing to do but wait for a disk.
  var idle: UInt64
  var total: UInt64

  /// - Parameter stat: the content of `/proc/stat`.
  /// - Returns: nil when that says nothing of processors.
  public init?(stat: some StringProtocol) {
    // "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; guests' times are in user and nice already.
    guard let line = stat.split(separator: "\n", maxSplits: 1).first, line.hasPrefix("cpu ") else { return nil }
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }
    guard ticks.count >= 5 else { return nil }
    idle = ticks[3] &+ ticks[4]
    total = ticks.reduce(0, &+)
    // Some kernels of containers have the line and tell nothing in it.
    if total == 0 { return nil }
  }

  /// The share of all processors' time since `former` in which they had nothing to do, 0…1; nil when none passed.
  public func idleShare(since former: ProcessorTimes) -> Double? {
    // The kernel's own sums may go back by a tick.
    guard total > former.total else { return nil }
    let idle = idle > former.idle ? idle - former.idle : 0
    return min(1, Double(idle) / Double(total - former.total))
  }
}

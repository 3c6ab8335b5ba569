/// The time that all processors of the machine together have spent since the machine was started, in ticks of the
/// kernel.
public struct ProcessorTimes: Hashable, Sendable {
  /// Ticks in which the processors were idle or only waited for a disk.
  var idle: UInt64
  var total: UInt64

  /// - Parameter stat: the content of `/proc/stat`.
  /// - Returns: nil when the content has no figures of the processors.
  public init?(stat: some StringProtocol) {
    // The line is "cpu  user nice system idle iowait irq softirq steal guest guest_nice". The times of guests are left
    // out because user and nice contain them already.
    guard let line = stat.split(separator: "\n", maxSplits: 1).first, line.hasPrefix("cpu ") else { return nil }
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }
    guard ticks.count >= 5 else { return nil }
    idle = ticks[3] &+ ticks[4]
    total = ticks.reduce(0, &+)
    // Some kernels that run containers have the line with nothing but zeros in it.
    if total == 0 { return nil }
  }

  /// Returns the share of all processors' time since `former` in which they were idle, 0…1; nil when no time has
  /// passed.
  public func idleShare(since former: ProcessorTimes) -> Double? {
    // The sums that the kernel reports may decrease by a tick.
    guard total > former.total else { return nil }
    let idle = idle > former.idle ? idle - former.idle : 0
    return min(1, Double(idle) / Double(total - former.total))
  }
}

internal import CaptureCore
internal import Foundation

/// The time when this process began.
enum ProcessStart {
  /// The start in nanoseconds of CLOCK_MONOTONIC; the present time when /proc does not tell the start.
  static func monotonicNanoseconds() -> UInt64 {
    let now = MonotonicInstant.now()
    guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
      // The fields follow the command name, which may contain spaces and parentheses. `starttime` is field 22 of the
      // line (proc(5)).
      let fields = stat.split(separator: ")").last?.split(separator: " "), fields.count > 19,
      let ticks = UInt64(fields[19])
    else { return now }
    // `starttime` counts from boot and includes suspended time. CLOCK_MONOTONIC leaves suspended time out.
    var boot = timespec()
    clock_gettime(CLOCK_BOOTTIME, &boot)
    let sinceBoot = UInt64(boot.tv_sec) * 1_000_000_000 + UInt64(boot.tv_nsec)
    let started = ticks * (1_000_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK))))
    return now - min(now, sinceBoot - min(sinceBoot, started))
  }
}

extension ProcessStart {
  /// The start in seconds since the Unix epoch, by the present setting of the wall clock.
  static func wallSeconds() -> Double {
    let age = MonotonicInstant.now() - monotonicNanoseconds()
    return Double(WallInstant.now() - age) / 1e9
  }
}

internal import CaptureCore
internal import Foundation

/// When this process began.
enum ProcessStart {
  /// CLOCK_MONOTONIC; now when /proc does not tell.
  static func monotonicNanoseconds() -> UInt64 {
    let now = SystemClock.monotonicNanoseconds()
    guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
      // Fields after the command name, which may hold spaces and parentheses; starttime is field 22 (proc(5)).
      let fields = stat.split(separator: ")").last?.split(separator: " "), fields.count > 19,
      let ticks = UInt64(fields[19])
    else { return now }
    // starttime counts from boot, suspend included; CLOCK_MONOTONIC leaves suspend out.
    var boot = timespec()
    clock_gettime(CLOCK_BOOTTIME, &boot)
    let sinceBoot = UInt64(boot.tv_sec) * 1_000_000_000 + UInt64(boot.tv_nsec)
    let started = ticks * (1_000_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK))))
    return now - min(now, sinceBoot - min(sinceBoot, started))
  }
}

extension ProcessStart {
  /// Seconds since the Unix epoch, by the wall clock of now.
  static func wallSeconds() -> Double {
    let age = SystemClock.monotonicNanoseconds() - monotonicNanoseconds()
    return Double(SystemClock.wallNanoseconds() - age) / 1e9
  }
}

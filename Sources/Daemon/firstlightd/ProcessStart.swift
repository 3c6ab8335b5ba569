internal import Foundation
internal import SystemClocks

/// The time when this process began.
enum ProcessStart {
  /// The start by the monotonic clock; the present time when /proc does not tell the start.
  static func monotonic() -> MonotonicInstant {
    let now = MonotonicInstant.now()
    guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
      // The fields follow the command name, which may contain spaces and parentheses. `starttime` is field 22 of the
      // line (proc(5)).
      let fields = stat.split(separator: ")").last?.split(separator: " "), fields.count > 19,
      let ticks = UInt64(fields[19])
    else { return now }
    // `starttime` counts from boot and includes suspended time. CLOCK_MONOTONIC leaves suspended time out.
    let started = BootInstant(nanoseconds: ticks * (1_000_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK)))))
    return now - BootInstant.now().nanoseconds(since: started)
  }
}

extension ProcessStart {
  /// The start by the present setting of the wall clock.
  static func wall() -> WallInstant { .now() - MonotonicInstant.now().nanoseconds(since: monotonic()) }
}

/// The number of files that this process may have open.
enum DescriptorLimit {
  /// Raises the limit to the most that the system allows. A connection takes two descriptors, so the usual limit of
  /// 1,024 would suffice only for a quarter of the 2,048 connections that the daemon takes by default. Without
  /// permission the limit stays as it is.
  static func raise() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }
}

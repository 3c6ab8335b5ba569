import Foundation
import Testing

@testable import SystemPressure

/// Runs on a kernel with the thermal zone of the guest, as root, where the environment variable FIRSTLIGHT_REAL_KERNEL
/// is set.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FIRSTLIGHT_REAL_KERNEL"] != nil, "needs a thermal zone"))
struct PressureRealKernelTests {
  /// Setting a zone's governor makes the kernel send an event, even when the governor stays the same. The event reaches
  /// the monitor's socket and ends the monitor's wait.
  @Test func eventsOfTheKernelReachTheMonitor() throws {
    let zone = "/sys/class/thermal/thermal_zone0"
    let events = try #require(ThermalEvents(), "the guest's kernel has CONFIG_THERMAL_NETLINK")
    func hears(within milliseconds: Int32) -> Bool {
      var waited = pollfd(fd: events.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&waited, 1, milliseconds) == 1
    }
    let policy = try String(contentsOfFile: zone + "/policy", encoding: .utf8)
    events.drain()
    #expect(!hears(within: 0))
    let file = open(zone + "/policy", O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    try #require(write(file, policy, policy.utf8.count) == policy.utf8.count)
    #expect(hears(within: 10_000))
    events.drain()
    #expect(!hears(within: 0))
    // The event also ends the monitor's wait, which would otherwise last an hour.
    let wait = PollWait(events: events)
    try #require(write(file, policy, policy.utf8.count) == policy.utf8.count)
    #expect(wait.wait(nanoseconds: 3_600_000_000_000), "the kernel has news")
  }
}

import Glibc
import Testing

@testable import SystemWatchdog

@Suite struct ServiceManagerTests {
  private static let variables = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]

  @Test func readsHowOftenTheManagerWantsToHear() {
    #expect(ServiceManager(environment: Self.variables, processID: 7).watchdogInterval == 30_000_000_000)
  }

  @Test(arguments: [
    ["WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"], ["NOTIFY_SOCKET": nil],
  ])
  func variablesThatAreNotForThisProcessDoNotCount(_ changes: [String: String?]) {
    let variables = Self.variables.merging(changes.compactMapValues { $0 }) { $1 }
      .filter { changes[$0.key] != .some(nil) }
    #expect(ServiceManager(environment: variables, processID: 7).watchdogInterval == nil)
  }

  @Test(arguments: ["/tmp/firstlight-notify-\(getpid())", "@firstlight-notify-\(getpid())"])
  func tellsTheManager(_ path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    if path.hasPrefix("@") { withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 } }
    let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + path.utf8.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(bound == 0)
    defer { unlink(path) }
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": path], processID: getpid())
    manager.tell(.ready)
    manager.tell(.alive)
    #expect(receive(descriptor) == "READY=1")
    #expect(receive(descriptor) == "WATCHDOG=1")
  }

  @Test func aManagerThatIsAwayDisturbsNothing() {
    ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/notify"], processID: 1).tell(.ready)
    ServiceManager(environment: [:], processID: 1).tell(.ready)
  }

  private func receive(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}

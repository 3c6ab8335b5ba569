import Glibc
import Testing

@testable import V4L2Capture

@Suite struct HotplugMonitorTests {
  @Test func kernelEvents() {
    func concerns(_ text: String) -> Bool {
      Array(text.utf8).withUnsafeBytes { Uevent.concernsVideo($0) }
    }
    #expect(concerns("add@/devices/x/video0\0ACTION=add\0SUBSYSTEM=video4linux\0MAJOR=81\0"))
    #expect(!concerns("add@/devices/x/video4linux\0ACTION=add\0SUBSYSTEM=usb\0"))
    #expect(!concerns(""))
  }

  @Test func truncatedDirectoryEventsAreIgnored() {
    var event = [UInt8](repeating: 0, count: 16)
    event[12] = 200
    event.withUnsafeBytes { #expect(!DirectoryEvents.concernVideo($0)) }
  }

  @Test func nodesComeAndGo() {
    let files = TemporaryTree()
    let monitor = HotplugMonitor(deviceDirectory: files.tree.deviceDirectory)
    #expect(!monitor.drain())
    files.write("dev/null")
    #expect(!monitor.drain())
    files.write("dev/video0")
    #expect(monitor.drain())
    #expect(!monitor.drain())
    chmod(files.root + "/dev/video0", 0o660)
    #expect(monitor.drain())
    files.delete("dev/video0")
    #expect(monitor.drain())
  }
}

import Glibc
import HotPlug
import Testing

@testable import V4L2Capture

/// Which events of the kernel and of the folder of nodes concern cameras.
@Suite struct HotplugMonitorTests {
  /// Only events whose subsystem is video4linux count, not events whose path contains that word.
  @Test func onlyEventsOfVideoDevicesCount() {
    func concerns(_ text: String) -> Bool {
      Array(text.utf8).withUnsafeBytes { Uevent.concerns("video4linux", $0) }
    }
    #expect(concerns("add@/devices/x/video0\0ACTION=add\0SUBSYSTEM=video4linux\0MAJOR=81\0"))
    #expect(!concerns("add@/devices/x/video4linux\0ACTION=add\0SUBSYSTEM=usb\0"))
    #expect(!concerns(""))
  }

  /// The event claims a name of 200 bytes that it does not have.
  @Test func truncatedDirectoryEventsAreIgnored() {
    var event = [UInt8](repeating: 0, count: 16)
    event[12] = 200
    event.withUnsafeBytes { #expect(!DirectoryEvents.concern(["video"], $0)) }
  }

  /// A video node that comes, goes or changes its permissions is news. Other files are not.
  @Test func changesOfVideoNodesAreNews() {
    let files = TemporaryTree()
    let monitor = HotplugMonitor(
      folders: [files.tree.deviceDirectory], names: ["video"], subsystem: "video4linux")
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

import Testing

@testable import V4L2Capture

/// What `/dev` and sysfs tell about video nodes, in a tree of files.
@Suite struct DeviceTreeTests {
  private let files = TemporaryTree()

  @Test func nodesAreSortedByNumber() {
    for name in ["video10", "video2", "videoX", "v4l-touch0", "null"] { files.write("dev/" + name) }
    #expect(files.tree.videoNodes() == [files.root + "/dev/video2", files.root + "/dev/video10"])
  }

  @Test func nodesAreFoundAmongManyFiles() {
    // The entries take more than one read of the kernel's, so that an entry lies at the very end of the memory for
    // them.
    for number in 0..<1500 { files.write("dev/tty\(number)") }
    files.write("dev/video7")
    #expect(files.tree.videoNodes() == [files.root + "/dev/video7"])
  }

  /// Nil differs from an empty list: nothing is known about the nodes, so no camera may be taken away.
  @Test func aDirectoryThatCannotBeReadGivesNil() {
    #expect(DeviceTree(deviceDirectory: files.root + "/nowhere").videoNodes() == nil)
  }

  /// sysfs tells the vendor, the product, the serial number, the port and the interface of a USB camera. Spaces around
  /// the serial number are dropped.
  @Test func theHardwareOfAUSBCameraIsRead() throws {
    files.addUSBCamera(0, serial: " A1B2 ")
    let hardware = try #require(files.tree.hardware(of: files.root + "/dev/video0"))
    #expect(
      hardware.usb
        == Hardware.USB(
          vendor: "046d", product: "0825", serial: "A1B2", port: "1-1", interface: 0, isFixed: false))
    #expect(hardware.path.hasSuffix("/1-1/1-1:1.0"))
  }

  /// Containers may lack sysfs. The hardware of a node is then not known, which is no error.
  @Test func withoutSysfsThereIsNoHardware() {
    files.write("dev/video0")
    #expect(files.tree.hardware(of: files.root + "/dev/video0") == nil)
  }

  /// A node keeps its identity, another node has another one, and a node that is gone has none.
  @Test func theIdentityTellsNodesApart() throws {
    files.write("dev/video0")
    files.write("dev/video1")
    let path = files.root + "/dev/video0"
    let first = try #require(files.tree.identity(of: path))
    #expect(files.tree.identity(of: path) == first)
    #expect(files.tree.identity(of: files.root + "/dev/video1") != first)
    files.delete("dev/video0")
    #expect(files.tree.identity(of: path) == nil)
  }
}

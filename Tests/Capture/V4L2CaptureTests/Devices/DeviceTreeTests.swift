import Testing

@testable import V4L2Capture

@Suite struct DeviceTreeTests {
  private let files = TemporaryTree()

  @Test func nodesByNumber() {
    for name in ["video10", "video2", "videoX", "v4l-touch0", "null"] { files.write("dev/" + name) }
    #expect(files.tree.videoNodes() == [files.root + "/dev/video2", files.root + "/dev/video10"])
  }

  @Test func nodesAmongManyFiles() {
    // More than one read of the kernel's, so that an entry lies at the very end of the memory for it.
    for number in 0..<1500 { files.write("dev/tty\(number)") }
    files.write("dev/video7")
    #expect(files.tree.videoNodes() == [files.root + "/dev/video7"])
  }

  @Test func nothingIsKnownOfADirectoryThatCannotBeRead() {
    #expect(DeviceTree(deviceDirectory: files.root + "/nowhere").videoNodes() == nil)
  }

  @Test func aUSBCamera() throws {
    files.addUSBCamera(0, serial: " A1B2 ")
    let hardware = try #require(files.tree.hardware(of: files.root + "/dev/video0"))
    #expect(
      hardware.usb
        == Hardware.USB(
          vendor: "046d", product: "0825", serial: "A1B2", port: "1-1", interface: 0, isFixed: false))
    #expect(hardware.path.hasSuffix("/1-1/1-1:1.0"))
  }

  @Test func withoutSysfsNothingIsKnown() {
    files.write("dev/video0")
    #expect(files.tree.hardware(of: files.root + "/dev/video0") == nil)
  }

  @Test func aNodeMadeAnewIsAnother() throws {
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

import CV4L2
import CaptureCore
import Glibc
import Logging
import Testing

@testable import V4L2Capture

/// What the catalog knows about the machine's video nodes, and which changes it announces.
@Suite struct DeviceCatalogTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()
  private let lost = CaptureError(.deviceDisconnected, "gone")
  private var path: String { files.root + "/dev/video0" }

  private func catalog() -> DeviceCatalog {
    DeviceCatalog(tree: files.tree, syscalls: kernel, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func opens() -> Int { kernel.log.count { $0 == "open" } }

  /// Two nodes with the same attachment belong to one camera, which streams from the node with the lower number.
  @Test func severalNodesOfOneCameraAreOneDevice() {
    files.write("dev/video0")
    files.write("dev/video1")
    var catalog = catalog()
    #expect(catalog.rescan().map(\.kind) == [.connected])
    #expect(catalog.cameras.map(\.device.id) == ["fake-000"])
    #expect(catalog.cameras.map(\.path) == [path])
    #expect(catalog.rescan().isEmpty)
  }

  @Test("A12: a camera that does not answer the first look is asked again") func aCameraThatDoesNotAnswer() {
    files.write("dev/video0")
    kernel.fail("VIDIOC_QUERYCAP", with: ETIMEDOUT)
    var catalog = catalog()
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.hasUnansweredNodes)
    #expect(catalog.rescanUnansweredNodes().map(\.kind) == [.connected])
    #expect(!catalog.hasUnansweredNodes)
  }

  /// Two cameras of one model at different ports are told apart by their serial numbers.
  @Test func usbCamerasOfOneModelAreTwoDevices() {
    kernel.change { $0.busInfo = "usb-1" }
    files.addUSBCamera(0, serial: "A")
    files.addUSBCamera(1, serial: "B")
    var catalog = catalog()
    _ = catalog.rescan()
    #expect(catalog.cameras.map(\.device.id) == ["046d-0825-a", "046d-0825-b"])
    #expect(catalog.cameras.allSatisfy { $0.device.type == .external })
  }

  /// A device has the name, the driver and the location that the driver gives, and the position from the driver's
  /// control for the orientation.
  @Test func aDeviceHasThePropertiesThatTheDriverGives() {
    files.write("dev/video0")
    kernel.change { $0.controls[CV4L2_CID_CAMERA_ORIENTATION] = 1 }
    var catalog = catalog()
    _ = catalog.rescan()
    let device = catalog.cameras[0].device
    #expect(device.displayName == "Fake Camera")
    #expect(device.driver == "fake")
    #expect(device.location == "platform:fake-000")
    #expect(device.position == .back)
    #expect(device.type == .builtInWideAngle)
  }

  /// A node for metadata can never become a camera, so the catalog opens it only once.
  @Test func nodesThatAreNeverCamerasAreOpenedOnce() {
    files.write("dev/video0")
    kernel.change { $0.capabilities = UInt32(V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING) }
    var catalog = catalog()
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.rescan().isEmpty)
    #expect(opens() == 1)
  }

  /// A loopback device is an output until a program produces frames for it. The catalog therefore looks at output nodes
  /// again.
  @Test func aLoopbackDeviceBecomesACameraWithItsProducer() {
    files.write("dev/video0")
    kernel.change { $0.capabilities = UInt32(V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_STREAMING) }
    var catalog = catalog()
    #expect(catalog.rescan().isEmpty)
    kernel.change { $0.capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING) }
    #expect(catalog.rescan().map(\.kind) == [.connected])
  }

  /// No event announces the return of a camera whose node stayed. The catalog therefore looks at the node again until
  /// the camera is back.
  @Test func aCameraLostWithoutAStreamIsLookedForAgain() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    kernel.disconnect()
    #expect(catalog.rescan().map(\.kind) == [.disconnected])
    #expect(catalog.hasUnansweredNodes)
    kernel.reconnect()
    #expect(catalog.rescanUnansweredNodes().map(\.kind) == [.connected])
  }

  /// A camera that goes between two calls of a look is gone, and is not reported as a camera that lost its formats.
  @Test func aCameraThatGoesDuringALookIsDisconnected() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    // Opening the node still works, and the later calls of the same look fail.
    kernel.fail("VIDIOC_ENUM_FRAMESIZES", with: ENODEV)
    kernel.fail("VIDIOC_QUERYCAP", with: 0, ENODEV)
    #expect(catalog.rescan().map(\.kind) == [.disconnected])
  }

  /// Without descriptors or memory, the catalog cannot look at a node. It keeps its cameras, because nothing shows that
  /// they are gone.
  @Test(arguments: [EMFILE, ENFILE, ENOMEM])
  func aShortageOfTheDaemonTakesNoCameraAway(_ shortage: Int32) {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    kernel.fail("open", with: shortage)
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.cameras.count == 1)
  }

  /// A node that could not be opened for want of descriptors is looked at again, without an event.
  @Test func aNodeThatCouldNotBeLookedAtIsLookedAtAgain() {
    files.write("dev/video0")
    kernel.fail("open", with: EMFILE)
    var catalog = catalog()
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.hasUnansweredNodes)
    #expect(catalog.rescanUnansweredNodes().map(\.kind) == [.connected])
  }

  /// When the folder of the nodes cannot be read, nothing shows that a camera is gone. Once the folder can be read
  /// again, a missing node disconnects its camera.
  @Test func aDirectoryThatCannotBeReadTakesNoCameraAway() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    files.rename("dev", to: "away")
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.cameras.count == 1)
    files.rename("away", to: "dev")
    files.delete("dev/video0")
    #expect(catalog.rescan().map(\.kind) == [.disconnected])
  }

  /// The catalog does not open the node of a running stream. After the stream has ended, the catalog opens the node
  /// again.
  @Test func theNodeOfARunningStreamIsNotOpened() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    catalog.streamWillStart(path)
    let before = opens()
    #expect(catalog.rescan().isEmpty)
    #expect(opens() == before)
    #expect(catalog.streamDidEnd(path, nil).isEmpty)
    #expect(catalog.rescan().isEmpty)
    #expect(opens() == before + 1)
  }

  /// A node that another program holds for itself answers EBUSY. Its camera is still there and stays in the list.
  @Test func aCameraThatAnotherProgramHoldsStays() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    kernel.fail("open", with: EBUSY)
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.cameras.count == 1)
  }

  /// When a stream ends because its device is gone, the catalog announces the loss at once, and looks at the node until
  /// the camera is back.
  @Test func aLostCameraIsAnnouncedAndComesBack() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    catalog.streamWillStart(path)
    kernel.disconnect()
    #expect(catalog.streamDidEnd(path, lost).map(\.kind) == [.disconnected])
    #expect(catalog.hasUnansweredNodes)
    #expect(catalog.rescanUnansweredNodes().isEmpty)
    kernel.reconnect()
    #expect(catalog.rescanUnansweredNodes().map(\.kind) == [.connected])
    #expect(!catalog.hasUnansweredNodes)
    #expect(catalog.cameras.map(\.device.id) == ["fake-000"])
  }

  /// When the node itself is gone, an event will announce its return, so the catalog does not look for it. The end of
  /// the stream announces the loss no second time.
  @Test func aCameraWhoseNodeVanishesIsDisconnectedOnce() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    catalog.streamWillStart(path)
    files.delete("dev/video0")
    #expect(catalog.rescan().map(\.kind) == [.disconnected])
    #expect(!catalog.hasUnansweredNodes)
    #expect(catalog.streamDidEnd(path, lost).isEmpty)
  }

  /// When a camera lists other formats than at the look before, watchers hear that the camera has changed.
  @Test func changedFormatsAreAChange() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    kernel.change { $0.formats.append(.init("GREY", sizes: [.discrete(Size(width: 64, height: 48))])) }
    #expect(catalog.rescan().map(\.kind) == [.changed])
  }

  /// A camera that gives only formats that the daemon does not read is listed with this reason, until it gives another.
  @Test func aCameraWithoutAReadableFormatIsListedWithTheReason() throws {
    files.write("dev/video0")
    let sizes = [DeviceFormat.FrameSize.discrete(Size(width: 64, height: 48))]
    kernel.change { $0.formats = [.init("VP80", sizes: sizes), .init("Z16 ", sizes: sizes)] }
    var catalog = catalog()
    _ = catalog.rescan()
    let device = try #require(catalog.cameras.first).device
    #expect(device.formats.isEmpty && device.unavailable?.reason == .formatNotSupported)
    #expect(device.unavailable?.metadata["formats"] == "VP80, Z16")
    kernel.change { $0.formats.append(.init("YUYV", sizes: sizes)) }
    #expect(catalog.rescan().map(\.kind) == [.changed])
    #expect(catalog.cameras.first?.device.unavailable == nil)
  }

  /// A loopback device that nobody feeds lists no format, and is no camera.
  @Test func aNodeWithoutFormatsIsNoCamera() {
    files.write("dev/video0")
    kernel.change { $0.formats = [] }
    var catalog = catalog()
    _ = catalog.rescan()
    #expect(catalog.cameras.isEmpty)
  }
}

import CV4L2
import CaptureCore
import Glibc
import Logging
import Testing

@testable import V4L2Capture

/// Cameras that this process may not open, in a tree of files.
@Suite(.timeLimit(.minutes(1))) struct RefusedCameraTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()
  private let request = StreamRequest(pixelFormat: .yuyv, size: Size(width: 64, height: 48), frameRate: Rational(30, 1))
  private let log = Locked<[String]>([])

  private func catalog() -> DeviceCatalog {
    DeviceCatalog(
      tree: files.tree, syscalls: kernel, logger: Logger(label: "test") { [log] _ in RecordingHandler(lines: log) })
  }

  /// Writes what the udev database says about the node at `path`. `capabilities` is the value of ID_V4L_CAPABILITIES,
  /// without the colons around it.
  private func tellUdev(_ path: String, _ capabilities: String) {
    var status = stat()
    stat(files.root + "/" + path, &status)
    let device = UInt(status.st_rdev)
    let number = "c\((device >> 8) & 0xfff):\((device & 0xff) | ((device >> 12) & 0xfff00))"
    files.makeDirectory("run/udev/data")
    files.write("run/udev/data/\(number)", "S:v4l/by-id/x\nE:ID_V4L_CAPABILITIES=:\(capabilities):\nG:seat\n")
  }

  /// A camera that may not be opened is in the list, with the reason and without formats, so that a person sees what to
  /// do. Further looks do not log the reason again.
  @Test func A5_aRefusedCameraIsListedWithItsReasonAndLoggedOnce() {
    files.addUSBCamera(0, serial: "A")
    files.write("sys/devices/usb1/1-1/devpath", "1\n")
    files.write("sys/class/video4linux/video0/name", "C920\n")
    kernel.fail("open", with: EACCES, EACCES)
    var catalog = catalog()
    let changes = catalog.rescan()
    #expect(changes.map(\.kind) == [.connected])
    let device = changes[0].device
    #expect((device.id, device.displayName, device.type) == ("046d-0825-a", "C920", .external))
    #expect((device.location, device.formats.isEmpty) == ("usb-devices-1", true))
    #expect(device.unavailable?.reason == .deviceAccessDenied)
    #expect(device.unavailable?.metadata["node"] == files.root + "/dev/video0")
    #expect(catalog.rescan().isEmpty)
    #expect(log.withLock { $0 } == [device.unavailable?.message])
  }

  /// The catalog tries to open the node at each look. Once the daemon may open the node, the camera is usable under the
  /// same id.
  @Test func aRefusedCameraBecomesUsableUnderTheSameID() {
    files.addUSBCamera(0, serial: "A")
    kernel.fail("open", with: EACCES)
    var catalog = catalog()
    _ = catalog.rescan()
    let changes = catalog.rescan()
    #expect(changes.map(\.kind) == [.changed])
    #expect(changes.map(\.device.id) == ["046d-0825-a"])
    #expect(changes.allSatisfy { $0.device.unavailable == nil && !$0.device.formats.isEmpty })
  }

  /// A camera that the daemon may not open any more keeps the id that it had when the daemon could ask its driver.
  @Test func aCameraThatIsRefusedLaterKeepsItsID() {
    files.write("dev/video0")
    var catalog = catalog()
    _ = catalog.rescan()
    kernel.fail("open", with: EPERM)
    let changes = catalog.rescan()
    #expect(changes.map(\.kind) == [.changed])
    #expect(changes.map(\.device.id) == ["fake-000"], "the id comes from the driver, which the files do not tell")
    #expect(changes.allSatisfy { $0.device.unavailable?.metadata["errno"] == "EPERM" && $0.device.formats.isEmpty })
    #expect(catalog.rescan().map(\.kind) == [.changed])
  }

  /// udev gives a new node to its group some milliseconds after the kernel made the node. The catalog therefore
  /// withholds a new camera that may not be opened until the next probe.
  @Test func aNewRefusedCameraIsShownAtTheNextProbe() {
    var catalog = catalog()
    #expect(catalog.rescan().isEmpty)
    files.addUSBCamera(0, serial: "A")
    kernel.fail("open", with: EACCES)
    #expect(catalog.rescan().isEmpty)
    #expect(catalog.hasUnansweredNodes, "otherwise the catalog would not look again")
    let changes = catalog.rescan()
    #expect(changes.map(\.kind) == [.connected], "udev has given the node to its group")
    #expect(changes.allSatisfy { $0.device.unavailable == nil })

    files.addUSBCamera(1, serial: "B")
    kernel.fail("open", with: 0, EACCES)
    #expect(catalog.rescan().isEmpty)
    let refused = catalog.rescanUnansweredNodes()
    #expect(refused.map(\.device.unavailable?.reason) == [.deviceAccessDenied], "the group was not set")
    #expect(!catalog.hasUnansweredNodes)
  }

  /// Two refused nodes of one camera are listed and logged as one camera. Once one of the nodes may be opened, the
  /// camera is usable through that node.
  @Test func refusedNodesOfOneCameraAreOneCamera() {
    files.addUSBCamera(0, serial: "A")
    files.makeDirectory("sys/devices/usb1/1-1/1-1:1.0/video4linux/video1")
    files.write("sys/devices/usb1/1-1/1-1:1.0/video4linux/video1/index", "1\n")
    files.link("sys/devices/usb1/1-1/1-1:1.0/video4linux/video1/device", to: "sys/devices/usb1/1-1/1-1:1.0")
    files.link("sys/class/video4linux/video1", to: "sys/devices/usb1/1-1/1-1:1.0/video4linux/video1")
    files.write("dev/video1")
    kernel.fail("open", with: EACCES, EACCES)
    var catalog = catalog()
    #expect(catalog.rescan().map(\.device.id) == ["046d-0825-a"])
    #expect(log.withLock(\.count) == 1)
    kernel.fail("open", with: EACCES)
    #expect(catalog.rescan().allSatisfy { $0.device.unavailable == nil }, "the node that may be opened stands for it")
    #expect(catalog.cameras.map(\.path) == [files.root + "/dev/video1"])
  }

  /// The arguments are what udev found when it opened the node, and the number of cameras in the list. A node that does
  /// not capture, or also outputs video, is no camera.
  @Test(arguments: [("capture", 1), ("", 0), ("video_output", 0), ("capture:video_output", 0)])
  func udevTellsWhichNodesAreCameras(_ capabilities: String, _ count: Int) {
    files.write("dev/video0")
    tellUdev("dev/video0", capabilities)
    kernel.fail("open", with: EACCES)
    var catalog = catalog()
    #expect(catalog.rescan().count == count)
  }

  @Test(
    "without udev the driver tells which is a camera", arguments: [("bcm2835-codec", 0), ("pispbe", 0), ("unicam", 1)])
  func theDriverTellsWhichNodesAreCameras(driver: String, count: Int) {
    let device = "sys/devices/platform/soc/node"
    files.makeDirectory(device)
    files.makeDirectory("sys/bus/drivers/\(driver)")
    files.link(device + "/driver", to: "sys/bus/drivers/\(driver)")
    files.makeDirectory("sys/class/video4linux/video0")
    files.link("sys/class/video4linux/video0/device", to: device)
    files.write("dev/video0")
    kernel.fail("open", with: EACCES, EACCES)
    var untold = catalog()
    #expect(untold.rescan().count == count)
    tellUdev("dev/video0", "capture")
    var told = catalog()
    #expect(told.rescan().count == 1, "udev, which opened the node, knows better")
  }

  /// Each call gets the same error as the list of devices shows, with what the operator should do.
  @Test func A5_everyCallThatOpensTheCameraFailsWithTheRefusal() async throws {
    files.addUSBCamera(0, serial: "A")
    let provider = V4L2DeviceProvider(
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, tree: files.tree, syscalls: kernel)
    #expect(await provider.devices().count == 1)
    kernel.fail("open", with: EACCES)
    let refusal = try #require(await provider.devices().first?.unavailable)
    kernel.fail("open", with: EACCES, EACCES, EACCES, EACCES)
    let id = "046d-0825-a"
    let errors = [
      await #expect(throws: CaptureError.self) { _ = try await provider.resolve(request, on: id) },
      await #expect(throws: CaptureError.self) { _ = try await provider.controls(of: id) },
      await #expect(throws: CaptureError.self) { _ = try await provider.set([], on: id) },
      await #expect(throws: CaptureError.self) {
        _ = try await provider.start(request, on: id, pool: FramePool(budget: 1 << 20), sink: CollectingSink())
      },
    ]
    #expect(errors == Array(repeating: refusal, count: 4))
    #expect(kernel.openCount == 0)
    _ = try await provider.resolve(request, on: id)
  }
}

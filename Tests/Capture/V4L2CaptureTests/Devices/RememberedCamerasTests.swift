import CaptureCore
import Foundation
import Glibc
import Logging
import SystemFiles
import Testing

@testable import V4L2Capture

/// What the catalog remembers of serial numbers when the daemon restarts, in a tree of files.
@Suite struct RememberedCamerasTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()
  private let warnings = Locked<[String]>([])
  private var data: String { files.root + "/data/firstlight" }
  private var file: String { data + "/cameras" }

  /// The catalog of a daemon that starts, after the first look and the first save.
  private func catalog() -> DeviceCatalog {
    let warnings = warnings
    var catalog = DeviceCatalog(
      tree: files.tree, syscalls: kernel,
      folder: DataFolder(path: data) { text in warnings.withLock { $0.append(text) } },
      logger: Logger(label: "test") { _ in RecordingHandler(lines: warnings) })
    catalog.load()
    _ = catalog.rescan()
    catalog.save()
    return catalog
  }

  private func ids(_ catalog: DeviceCatalog) -> [String] { catalog.cameras.map(\.device.id) }

  private func addCamera(_ number: Int, serial: String?) {
    files.addUSBCamera(number, serial: serial)
    kernel.change { $0.busInfo = "fake" }
  }

  /// Two cameras with the same serial number get ids by their ports. After a restart, one of them alone still gets its
  /// id by port, not the id by serial number.
  @Test func A4_aSharedSerialNumberIsRememberedOverARestart() {
    addCamera(0, serial: "S")
    addCamera(1, serial: "S")
    #expect(ids(catalog()) == ["046d-0825-usb-1-1", "046d-0825-usb-1-2"])
    files.delete("dev/video0")
    #expect(ids(catalog()) == ["046d-0825-usb-1-2"])
    #expect(warnings.withLock { $0 } == [])
  }

  /// A second provider on the same folder stands for a restart of the daemon.
  @Test func A4_theProviderLoadsAndSavesSerialNumbers() async {
    func provider() -> V4L2DeviceProvider {
      V4L2DeviceProvider(
        folder: DataFolder(path: data) { _ in }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        tree: files.tree, syscalls: kernel)
    }
    addCamera(0, serial: "S")
    addCamera(1, serial: "S")
    let first = provider()
    #expect(await first.devices().map(\.id) == ["046d-0825-usb-1-1", "046d-0825-usb-1-2"])
    // The provider saves before it answers the next question.
    _ = await first.devices()
    files.delete("dev/video0")
    #expect(await provider().devices().map(\.id) == ["046d-0825-usb-1-2"])
  }

  /// The catalog writes its file only after it has learned something, and leaves no draft of the file behind.
  @Test func theFileIsWrittenOnlyAfterNews() throws {
    addCamera(0, serial: "S")
    _ = catalog()
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("046d-0825-s 046d-0825-usb-1-1 single"))
    unlink(file)
    var same = catalog()
    #expect(access(file, F_OK) == 0, "the number was new to this catalog")
    unlink(file)
    _ = same.rescan()
    same.save()
    #expect(access(file, F_OK) != 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: data)
    #expect(left.isEmpty, "a draft is left behind")
  }

  /// A damaged file is logged once. The catalog then begins with an empty memory and writes a sound file.
  @Test(arguments: [
    "", "nonsense", "firstlight serial numbers 1\n046d-0825-s - sha", String(repeating: "x", count: 1 << 20),
  ])
  func aDamagedFileIsReplacedWithOneWarning(_ text: String) throws {
    addCamera(0, serial: "S")
    files.makeDirectory("data/firstlight")
    files.write("data/firstlight/cameras", text)
    #expect(ids(catalog()) == ["046d-0825-s"])
    #expect(warnings.withLock(\.count) == 1)
    #expect(SerialNumbers(text: try String(contentsOfFile: file, encoding: .utf8))?.entries.count == 1)
    #expect(ids(catalog()) == ["046d-0825-s"])
    #expect(warnings.withLock(\.count) == 1)
  }

  /// When the folder cannot be written, the catalog logs one warning that names the folder, and remembers serial
  /// numbers until the daemon ends.
  @Test func anUnwritableFolderIsLoggedOnceAndTheMemoryServesThisRun() {
    files.write("data", "no folder")
    addCamera(0, serial: "S")
    addCamera(1, serial: "S")
    var catalog = catalog()
    files.delete("dev/video0")
    _ = catalog.rescan()
    catalog.save()
    files.write("dev/video0")
    files.delete("dev/video1")
    _ = catalog.rescan()
    catalog.save()
    #expect(ids(catalog) == ["046d-0825-usb-1-1"])
    #expect(warnings.withLock(\.count) == 1)
    #expect(warnings.withLock { $0.first?.contains(data) } == true)
  }

  /// When another camera takes a port between two looks, the first camera is disconnected and the other one gets an id
  /// of its own.
  @Test func anotherCameraAtTheSamePortGetsAnIDOfItsOwn() {
    addCamera(0, serial: "A")
    var catalog = catalog()
    files.write("sys/devices/usb1/1-1/serial", "B\n")
    files.delete("dev/video0")
    files.write("dev/video0")
    #expect(catalog.rescan().map(\.device.id) == ["046d-0825-a", "046d-0825-b"], "no look saw the port empty")
  }

  /// When a streaming camera is plugged into another port, its old node may stay. The catalog counts a node only while
  /// sysfs has its hardware; otherwise it would take the camera for two with the same serial number.
  @Test func aCameraThatIsMovedDuringItsStreamIsOneCamera() {
    addCamera(0, serial: "S")
    var catalog = catalog()
    catalog.streamWillStart(files.root + "/dev/video0")
    // In a container, the node of an unplugged camera stays.
    files.rename("sys/devices/usb1/1-1", to: "sys/devices/usb1/gone")
    addCamera(1, serial: "S")
    _ = catalog.rescan()
    #expect(ids(catalog) == ["046d-0825-s"])
    #expect(catalog.cameras.map(\.path) == [files.root + "/dev/video1"])
  }
}

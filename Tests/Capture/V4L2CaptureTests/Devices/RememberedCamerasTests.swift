import CaptureCore
import Foundation
import Glibc
import Logging
import Testing

@testable import V4L2Capture

/// What a catalog knows of serial numbers over restarts, in a tree of files.
@Suite struct RememberedCamerasTests {
  private let files = TemporaryTree()
  private let kernel = FakeKernel()
  private let warnings = Locked<[String]>([])
  private var data: String { files.root + "/data/firstlight" }
  private var file: String { data + "/cameras" }

  /// A daemon that begins.
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

  @Test func A4_aSharedNumberIsRememberedOverARestart() {
    addCamera(0, serial: "S")
    addCamera(1, serial: "S")
    #expect(ids(catalog()) == ["046d-0825-usb-1-1", "046d-0825-usb-1-2"])
    files.delete("dev/video0")
    #expect(ids(catalog()) == ["046d-0825-usb-1-2"])
    #expect(warnings.withLock { $0 } == [])
  }

  @Test func A4_theProviderReadsAndWritesWhatIsKnown() async {
    func provider() -> V4L2DeviceProvider {
      V4L2DeviceProvider(
        folder: DataFolder(path: data) { _ in }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        tree: files.tree, syscalls: kernel)
    }
    addCamera(0, serial: "S")
    addCamera(1, serial: "S")
    let first = provider()
    #expect(await first.devices().map(\.id) == ["046d-0825-usb-1-1", "046d-0825-usb-1-2"])
    // It is written before the next question is answered.
    _ = await first.devices()
    files.delete("dev/video0")
    #expect(await provider().devices().map(\.id) == ["046d-0825-usb-1-2"])
  }

  @Test func withoutNewsNothingIsWritten() throws {
    addCamera(0, serial: "S")
    _ = catalog()
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("046d-0825-s 046d-0825-usb-1-1 single"))
    unlink(file)
    var same = catalog()
    #expect(access(file, F_OK) == 0, "which was new to it")
    unlink(file)
    _ = same.rescan()
    same.save()
    #expect(access(file, F_OK) != 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: data)
    #expect(left.isEmpty, "nor is a draft left behind")
  }

  @Test(arguments: [
    "", "nonsense", "firstlight serial numbers 1\n046d-0825-s - sha", String(repeating: "x", count: 1 << 20),
  ])
  func whatIsDamagedBeginsAnewWithOneWarning(_ text: String) throws {
    addCamera(0, serial: "S")
    files.makeDirectory("data/firstlight")
    files.write("data/firstlight/cameras", text)
    #expect(ids(catalog()) == ["046d-0825-s"])
    #expect(warnings.withLock(\.count) == 1)
    #expect(SerialNumbers(text: try String(contentsOfFile: file, encoding: .utf8))?.entries.count == 1)
    #expect(ids(catalog()) == ["046d-0825-s"])
    #expect(warnings.withLock(\.count) == 1)
  }

  @Test func aFolderThatCannotBeWrittenIsToldOnceAndServesThisRun() {
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

  @Test func anotherCameraAtTheSamePortIsAnother() {
    addCamera(0, serial: "A")
    var catalog = catalog()
    files.write("sys/devices/usb1/1-1/serial", "B\n")
    files.delete("dev/video0")
    files.write("dev/video0")
    #expect(catalog.rescan().map(\.device.id) == ["046d-0825-a", "046d-0825-b"], "though nobody saw the port empty")
  }

  @Test func aCameraThatWasMovedUnderAStreamIsNotItsOwnTwin() {
    addCamera(0, serial: "S")
    var catalog = catalog()
    catalog.streamWillStart(files.root + "/dev/video0")
    // In a container its node stays.
    files.rename("sys/devices/usb1/1-1", to: "sys/devices/usb1/gone")
    addCamera(1, serial: "S")
    _ = catalog.rescan()
    #expect(ids(catalog) == ["046d-0825-s"])
    #expect(catalog.cameras.map(\.path) == [files.root + "/dev/video1"])
  }
}
